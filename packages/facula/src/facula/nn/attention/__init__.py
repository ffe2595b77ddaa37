"""Kinds of attention kernels, and attention by functions of positions; the names of facula_nn.attention."""

# ruff: noqa: F403, F405
from ..._names import publish
from ..._siblings import needs

with needs("facula.nn.attention"):
    from facula_nn.attention import *

__all__ = ["SDPBackend", "sdpa_kernel"]

publish(__name__)
