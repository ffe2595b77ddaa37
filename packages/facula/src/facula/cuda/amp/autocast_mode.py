"""Autocast of CUDA devices, where programs for PyTorch look for it."""

from ..._names import publish
from . import autocast, custom_bwd, custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]

publish(__name__)
