"""Kinds of attention kernels; the names of facula_nn.attention."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.nn.attention"):
    from facula_nn.attention import *

__all__ = ["SDPBackend", "sdpa_kernel"]
