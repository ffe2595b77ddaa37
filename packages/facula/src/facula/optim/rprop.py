"""Rprop, where programs for PyTorch look for it."""

from .._names import publish
from . import Rprop

__all__ = ["Rprop"]

publish(__name__)
