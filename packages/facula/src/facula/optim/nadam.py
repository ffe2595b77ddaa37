"""NAdam, where programs for PyTorch look for it."""

from .._names import publish
from . import NAdam

__all__ = ["NAdam"]

publish(__name__)
