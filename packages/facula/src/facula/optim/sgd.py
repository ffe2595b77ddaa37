"""SGD, where programs for PyTorch look for it."""

from .._names import publish
from . import SGD

__all__ = ["SGD"]

publish(__name__)
