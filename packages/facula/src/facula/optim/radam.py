"""RAdam, where programs for PyTorch look for it."""

from .._names import publish
from . import RAdam

__all__ = ["RAdam"]

publish(__name__)
