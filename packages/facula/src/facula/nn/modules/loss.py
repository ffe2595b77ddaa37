"""Losses, where programs for PyTorch look for them."""

# ruff: noqa: F403
from ..._siblings import needs

with needs("facula.nn.modules.loss"):
    from facula_nn.layers import loss as _home
    from facula_nn.layers.loss import *

__all__ = list(_home.__all__)
