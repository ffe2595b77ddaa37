"""ASGD, where programs for PyTorch look for it."""

from .._names import publish
from . import ASGD

__all__ = ["ASGD"]

publish(__name__)
