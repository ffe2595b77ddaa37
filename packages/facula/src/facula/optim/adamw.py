"""AdamW, where programs for PyTorch look for it."""

from .._names import publish
from . import AdamW

__all__ = ["AdamW"]

publish(__name__)
