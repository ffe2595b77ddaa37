"""Methods for older programs: `new`, `resize`, `resize_as`, and `to_dense` of dense tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_errors.extend import boundary, warn

from .._core.foreign import is_data
from .._core.size import Size
from .._core.sizes import sizes
from .._core.tensor import Tensor, method
from .._creation.filled import empty
from .._creation.from_data import tensor
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from .._core.types import DeviceLike, DTypeLike, Lengths


@method()
@boundary
def new(self: Tensor, *arguments: Any, device: DeviceLike | None = None) -> Tensor:
    """Return a new tensor with this one's dtype and device: uninitialised from lengths, a copy of data, or
    sharing a tensor's memory.

    For older programs; prefer the unambiguous `new_empty` and `new_tensor`. TypeError for other arguments, and
    for a tensor of another dtype.

    Arguments:
        arguments: lengths, a `Size`, data, or a tensor.
        device: this tensor's if None.

    >>> from facula_tensor import ones
    >>> ones(2).new([1, 2]), ones(2).new(2, 3).shape
    (tensor([1., 2.]), facula.Size([2, 3]))
    """
    place = self.device if device is None else device
    first = arguments[0] if arguments else Size((0,))
    if len(arguments) <= 1:
        if isinstance(first, Tensor):
            if first.dtype is not self.dtype:
                raise DTypeError(f"new: expected a tensor of {self.dtype.name}; got {first.dtype.name}; use .to()")
            return first.detach().to(place)
        if isinstance(first, Size):
            return empty(first, dtype=self.dtype, device=place)
        if is_data(first):
            return tensor(first, dtype=self.dtype, device=place)
    if not all(
        [hasattr(argument, "__index__") and not isinstance(argument, (bool, np.ndarray)) for argument in arguments]
    ):
        given = ", ".join([type(argument).__name__ for argument in arguments])
        raise InvalidTypeError(f"new: expected lengths, data in a sequence or array, or a tensor; got {given}")
    return empty(*arguments, dtype=self.dtype, device=place)


def _resized(self: Tensor, operation: str, wanted: tuple[int, ...]) -> Tensor:
    """Return `self` in the shape `wanted`, which must have the same number of elements; warn that `operation`
    is deprecated."""
    warn(f"{operation}: reshape has taken its place, and resize_ of what changes the number of elements")
    count = 1
    for length in wanted:
        count *= length
    if count != self.numel() or min(wanted, default=0) < 0:
        raise ArgumentError(
            f"{operation}: expected a shape of {self.numel()} elements, as the tensor has; got {wanted}; use resize_"
        )
    return recorded_ops.reshape(self, wanted)


@overridable
@method()
@boundary
def resize(self: Tensor, *shape: Lengths) -> Tensor:
    """Reshape the tensor; deprecated, use `reshape`. ValueError if the number of elements would change, which
    `resize_` allows.
    """
    return _resized(self, "resize", tuple(sizes("resize", shape, None)))


@overridable
@method()
@boundary
def resize_as(self: Tensor, other: Tensor) -> Tensor:
    """Reshape the tensor like another; deprecated, use `reshape_as`. ValueError if the number of elements would
    change."""
    return _resized(self, "resize_as", tuple(as_tensor("resize_as", other).shape))


@overridable
@method()
@boundary
def to_dense(self: Tensor, dtype: DTypeLike | None = None, *, masked_grad: bool | None = None) -> Tensor:
    """Return the tensor itself, which is dense; in another dtype if one is given.

    Arguments:
        dtype: the dtype of the result; this tensor's if None.
        masked_grad: ignored.

    >>> from facula_tensor import ones
    >>> ones(2).to_dense()
    tensor([1., 1.])
    """
    return self if dtype is None else self.to(dtype)
