"""The loader, where programs for PyTorch look for it."""

from ..._names import publish
from . import DataLoader, default_collate, default_convert

__all__ = ["DataLoader", "default_collate", "default_convert"]

publish(__name__)
