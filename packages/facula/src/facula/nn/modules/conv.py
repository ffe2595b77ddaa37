"""Convolutions, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.conv"):
    from facula_nn.extend import Convolution as _ConvNd  # noqa: F401  PyTorch's name
    from facula_nn.extend import Transposed as _ConvTransposeNd  # noqa: F401
    from facula_nn.layers.convolution import *
    from facula_nn.layers.lazy_convolution import *
    from facula_nn.layers.transposed_convolution import *

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
]  # fmt: skip
