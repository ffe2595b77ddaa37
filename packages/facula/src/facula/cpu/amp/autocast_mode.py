"""Mixed precision on the CPU, where programs for PyTorch look for it."""

from ..._names import publish
from . import autocast

__all__ = ["autocast"]

publish(__name__)
