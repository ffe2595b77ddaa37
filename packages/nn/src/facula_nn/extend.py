"""Names for sibling packages: private names of PyTorch that programs use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_tensor import Tensor

from ._modules.hooks import LoadHooks, WithoutModule
from ._modules.module import compilers
from ._modules.state import EXTRA, IncompatibleKeys
from ._modules.uninitialized import is_lazy
from .attention._masks import BLOCK_SIZE
from .init import fans
from .layers.convolution.convolution import Convolution
from .layers.convolution.transposed import Transposed
from .layers.lazy import LazyModuleMixin
from .layers.linear import NonDynamicallyQuantizableLinear
from .layers.loss.loss import _Loss as Loss
from .layers.loss.loss import _WeightedLoss as WeightedLoss
from .layers.normalization.batch_norm import ChannelNorm
from .layers.normalization.batch_norm import _BatchNorm as BatchNorm
from .layers.normalization.instance_norm import _InstanceNorm as InstanceNorm
from .layers.normalization.running_statistics import replace_all_batch_norm_modules_
from .layers.transformer_layers import activation_of
from .utils.weight_hooks import _SpectralNorm as SpectralNorm
from .utils.weight_hooks import _WeightNorm as WeightNorm

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "BLOCK_SIZE",
    "EXTRA",
    "BatchNorm",
    "ChannelNorm",
    "Convolution",
    "IncompatibleKeys",
    "InstanceNorm",
    "LazyModuleMixin",
    "LoadHooks",
    "Loss",
    "NonDynamicallyQuantizableLinear",
    "SpectralNorm",
    "Transposed",
    "WeightNorm",
    "WeightedLoss",
    "WithoutModule",
    "activation_named",
    "compilers",
    "fan",
    "fan_in_and_fan_out",
    "is_lazy",
    "replace_all_batch_norm_modules_",
]


def fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return the fan-in and fan-out of a weight."""
    return fans("fan_in_and_fan_out", tensor)


def fan(tensor: Tensor, mode: str) -> int:
    """Return the fan-in or fan-out of a weight; `mode` is "fan_in" or "fan_out". ValueError for other modes."""
    if mode not in ("fan_in", "fan_out"):
        raise InvalidValueError(f"fan: expected mode to be 'fan_in' or 'fan_out'; got {mode!r}")
    return fans("fan", tensor)[mode == "fan_out"]


def activation_named(activation: str) -> Callable[[Tensor], Tensor]:
    """Return the function "relu" or "gelu". ValueError for other names."""
    return activation_of("activation", activation)


# Private attributes that siblings may use. All are read only.
SIBLING_ATTRIBUTES = {
    "_parameters": "a module's own parameters by name; a name of PyTorch's",
    "_buffers": "a module's own buffers by name; a name of PyTorch's",
    "_modules": "a module's children by name; a name of PyTorch's",
    "_non_persistent_buffers_set": "the names of buffers that `state_dict` omits; a name of PyTorch's",
    "_all_weights": "the names of an RNN's parameters, a list for each layer and direction; a name of PyTorch's",
    "_hooks": "a module's tables of hooks by kind, None before the first; reading it creates no table",
    "_register_load_state_dict_pre_hook": "registers a hook called without the module; a name of PyTorch's",
}
