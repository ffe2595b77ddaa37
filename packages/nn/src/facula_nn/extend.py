"""Names for sibling packages: PyTorch's private names that programs use."""

from __future__ import annotations

from facula_tensor import Tensor

from ._module import compilers
from ._uninitialized import is_lazy
from .init import fans
from .layers.convolution import Convolution
from .layers.lazy import LazyModuleMixin
from .layers.linear import NonDynamicallyQuantizableLinear
from .layers.loss import _Loss as Loss
from .layers.loss import _WeightedLoss as WeightedLoss
from .layers.normalization import ChannelNorm
from .layers.normalization import _BatchNorm as BatchNorm
from .layers.running_statistics import replace_all_batch_norm_modules_
from .layers.transposed_convolution import Transposed

__all__ = [
    "BatchNorm",
    "ChannelNorm",
    "Convolution",
    "LazyModuleMixin",
    "Loss",
    "NonDynamicallyQuantizableLinear",
    "Transposed",
    "WeightedLoss",
    "compilers",
    "fan_in_and_fan_out",
    "is_lazy",
    "replace_all_batch_norm_modules_",
]


def fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """The fan-in and fan-out of a weight."""
    return fans("fan_in_and_fan_out", tensor)
