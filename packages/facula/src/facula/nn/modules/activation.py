"""Activations, where programs for PyTorch look for them."""

# ruff: noqa: F403
from ..._siblings import needs

with needs("facula.nn.modules.activation"):
    from facula_nn.layers import activation as _home
    from facula_nn.layers.activation import *

__all__ = list(_home.__all__)
