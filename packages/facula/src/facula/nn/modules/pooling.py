"""Pooling, where programs for PyTorch look for it."""

# ruff: noqa: F403
from ..._siblings import needs

with needs("facula.nn.modules.pooling"):
    from facula_nn.layers import pooling as _home
    from facula_nn.layers.pooling import *

__all__ = list(_home.__all__)
