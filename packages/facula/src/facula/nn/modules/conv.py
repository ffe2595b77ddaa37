"""Convolutions, where programs for PyTorch look for them."""

# ruff: noqa: F403
from ..._siblings import needs

with needs("facula.nn.modules.conv"):
    from facula_nn.layers import convolution as _home
    from facula_nn.layers.convolution import *

__all__ = list(_home.__all__)
