"""Adagrad, where programs for PyTorch look for it."""

from .._names import publish
from . import Adagrad

__all__ = ["Adagrad"]

publish(__name__)
