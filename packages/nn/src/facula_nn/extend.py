"""What sibling packages may use beside the public names: what PyTorch keeps under private names, and programs use."""

from __future__ import annotations

from facula_tensor import Tensor

from .init import fans
from .layers.convolution import Convolution
from .layers.linear import NonDynamicallyQuantizableLinear
from .layers.loss import _Loss as Loss
from .layers.loss import _WeightedLoss as WeightedLoss
from .layers.normalization import ChannelNorm
from .layers.normalization import _BatchNorm as BatchNorm
from .layers.transposed_convolution import Transposed

__all__ = [
    "BatchNorm",
    "ChannelNorm",
    "Convolution",
    "Loss",
    "NonDynamicallyQuantizableLinear",
    "Transposed",
    "WeightedLoss",
    "fan_in_and_fan_out",
]


def fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many numbers go into one output of a layer with this weight, and come from one input."""
    return fans("fan_in_and_fan_out", tensor)
