"""Coordinates of flat positions (`unravel_index`), and nonzero positions of a fixed number (`nonzero_static`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import int64
from facula_storage.extend.layouts import INTEGER

from ..._core.sizes import sizes
from ..._core.tensor import Tensor, layout_of_tensor, snapshot
from ..._creation.filled import full
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.written import function
from .where import nonzero

if TYPE_CHECKING:
    from ..._core.types import Lengths
    from ..._dispatch.kinds import Checked, Integer, Steady


@function(overridable=True)
def unravel_index(indices: Checked, shape: Lengths | Tensor) -> tuple[Tensor, ...]:
    """Convert flat positions to coordinates: an int64 tensor for each dimension of `shape`.

    Raises ValueError for positions outside the tensor.

    Arguments:
        indices: the flat positions.
        shape: the shape of the tensor, as integers or as a tensor of them.

    >>> from facula_tensor import tensor
    >>> unravel_index(tensor([0, 5]), (2, 3))
    (tensor([0, 1]), tensor([0, 2]))
    """
    indices = snapshot(indices)
    if indices.dtype.category != INTEGER:
        raise DTypeError(f"unravel_index: expected indices to be integers; got {indices.dtype.name}; use .long()")
    given = shape.tolist() if isinstance(shape, Tensor) else shape
    lengths = sizes("unravel_index", (given,))
    if min(lengths, default=0) < 0:
        raise ArgumentError(f"unravel_index: expected lengths of at least 0; got {lengths}")
    left = no_record_ops.to(indices, (int64,)) if indices.dtype is not int64 else no_record_ops.clone(indices)
    total = 1
    for length in lengths:
        total *= length
    if left.numel():
        every = (tuple(range(left.ndim)), False)
        low, high = no_record_ops.amin(left, every).item(), no_record_ops.amax(left, every).item()
        if low < 0 or high >= total:
            wrong = low if low < 0 else high
            raise ArgumentError(
                f"unravel_index: expected indices from 0 to {total - 1}, of shape {lengths}; got {wrong}"
            )
    found: list[Tensor] = []
    for length in reversed(lengths):
        if not left.numel():
            found.append(no_record_ops.clone(left))
            continue
        found.append(no_record_ops.remainder(left, length))
        left = no_record_ops.floor_divide(left, length)
    return tuple(reversed(found))


@function(method=True, out=True)
def nonzero_static(input: Steady, *, size: Integer, fill_value: Integer = -1) -> Tensor:
    """Return the positions of nonzero elements, as `nonzero` does, in exactly `size` rows.

    Arguments:
        size: the number of rows; further positions are dropped.
        fill_value: the value of the remaining rows.

    >>> from facula_tensor import tensor
    >>> nonzero_static(tensor([0, 3, 0, 2]), size=3)
    tensor([[ 1],
            [ 3],
            [-1]])
    """
    if size < 0:
        raise ArgumentError(f"nonzero_static: expected size of at least 0; got {size}")
    found = nonzero(input)
    count, ndim = layout_of_tensor(found).shape
    if count >= size:
        return no_record_ops.clone(no_record_ops.slice(found, 0, 0, size, 1))
    rest = full((size - count, ndim), fill_value, dtype=int64, device=found.device)
    return no_record_ops.cat((found, rest), (0,))
