"""Adadelta, where programs for PyTorch look for it."""

from .._names import publish
from . import Adadelta

__all__ = ["Adadelta"]

publish(__name__)
