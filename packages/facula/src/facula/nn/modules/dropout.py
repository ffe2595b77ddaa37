"""Dropout, where programs for PyTorch look for it."""

# ruff: noqa: F403
from ..._siblings import needs

with needs("facula.nn.modules.dropout"):
    from facula_nn.layers import dropout as _home
    from facula_nn.layers.dropout import *

__all__ = list(_home.__all__)
