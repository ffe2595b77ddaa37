"""The loader, where programs for PyTorch look for it."""

from ..._names import publish
from . import DataLoader, default_collate, default_convert, get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

publish(__name__)
