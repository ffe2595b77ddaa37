"""LBFGS, where programs for PyTorch look for it."""

from .._names import publish
from . import LBFGS

__all__ = ["LBFGS"]

publish(__name__)
