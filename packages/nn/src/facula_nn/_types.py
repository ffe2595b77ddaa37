"""Types shared by several modules, only for type checkers: not imported at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from facula_tensor import Tensor

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike, DTypeLike

# Arguments of module calls, and entries of state dicts other than tensors: values of any type.
Args: TypeAlias = tuple[Any, ...]
Kwargs: TypeAlias = dict[str, Any]
StateDict: TypeAlias = dict[str, Any]
Hook: TypeAlias = Callable[..., Any]

Gradients: TypeAlias = tuple[Tensor | None, ...]

# A pair with the indices of the maxima if `return_indices` is set at run time.
Pooled: TypeAlias = Tensor | Any


class DeviceAndDType(TypedDict):
    """The device and the dtype of a layer's parameters; None for the defaults."""

    device: DeviceLike | None
    dtype: DTypeLike | None
