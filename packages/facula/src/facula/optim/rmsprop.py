"""RMSprop, where programs for PyTorch look for it."""

from .._names import publish
from . import RMSprop

__all__ = ["RMSprop"]

publish(__name__)
