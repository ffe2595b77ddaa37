"""Convolutions, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.conv"):
    from facula_nn.layers.convolution import *

__all__ = ["Conv1d", "Conv2d", "Conv3d"]
