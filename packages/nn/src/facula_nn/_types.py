"""Types that several modules share, for type checkers alone: nothing imports this at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from facula_tensor import Tensor

if TYPE_CHECKING:
    from facula_tensor.extend import DeviceLike, DTypeLike

# What modules are called with, and what state dicts hold beside tensors: values of any type.
Args: TypeAlias = tuple[Any, ...]
Kwargs: TypeAlias = dict[str, Any]
StateDict: TypeAlias = dict[str, Any]
Hook: TypeAlias = Callable[..., Any]

Gradients: TypeAlias = tuple[Tensor | None, ...]

# A pair, with the places of the maxima, where `return_indices` says so at run time.
Pooled: TypeAlias = Tensor | Any


class DeviceAndDType(TypedDict):
    """Where a layer's parameters lie, and their dtype; None for the default's."""

    device: DeviceLike | None
    dtype: DTypeLike | None
