"""Pools of processes, where programs for PyTorch look for them."""

from .._names import publish
from . import Pool

__all__ = ["Pool"]

publish(__name__)
