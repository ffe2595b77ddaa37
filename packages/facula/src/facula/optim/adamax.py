"""Adamax, where programs for PyTorch look for it."""

from .._names import publish
from . import Adamax

__all__ = ["Adamax"]

publish(__name__)
