"""Batching rules of `take`, `put` and their gradients, with separate positions for each element of a batch."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..._core.tensor import Tensor, layout_of_tensor

if TYPE_CHECKING:
    from ..._dispatch.namespaces import Namespace


def taken(F: Namespace, call: Any) -> Tensor | None:
    """Batch `take`: with shared positions, with a shared tensor, or with neither shared."""
    (input, index), (dim, *rest) = call.operands, call.parameters
    if not call.batched[1]:
        return None if any(rest[1:]) else call.wrap(call.run((call.whole(input), index), (dim + 1, *rest)))
    if not call.batched[0]:
        return call.wrap(F.movedim(call.run(call.contents), dim, 0))
    if any([option not in (None, False) for option in rest]):
        return None
    layout, positions = layout_of_tensor(input), layout_of_tensor(index).shape
    made = (*layout.shape[:dim], *positions, *layout.shape[dim + 1 :])
    at = spread(F, call.contents[1], positions, layout.shape, dim)
    found = F.gather(call.contents[0], at, (dim + 1,))
    return call.wrap(F.reshape(found, (call.size, *made)))


def taken_back(F: Namespace, call: Any) -> Tensor:
    """Batch the gradient of `take`."""
    (grad, index), (shape, dim, skip) = call.operands, call.parameters
    whole = (call.size, *shape)
    if not call.batched[1]:
        return call.wrap(call.run((call.whole(grad), index), (whole, dim + 1, skip)))
    positions = layout_of_tensor(index).shape
    at = spread(F, call.contents[1], positions, shape, dim)
    g = flatten_positions(F, call.whole(grad), positions, dim)
    if skip is not None:
        g = F.where(F.eq(at, skip), 0, g)
    return call.wrap(F.gather_back(g, at, (whole, dim + 1)))


def put_at(F: Namespace, call: Any) -> Tensor:
    """Batch `put`."""
    (input, index, values), (dim, accumulate, from_zero) = call.operands, call.parameters
    if not call.batched[1]:
        whole = (call.whole(input), index, call.whole(values))
        return call.wrap(call.run(whole, (dim + 1, accumulate, from_zero)))
    positions, shape = layout_of_tensor(index).shape, layout_of_tensor(input).shape
    at = spread(F, call.contents[1], positions, shape, dim, from_zero)
    src = flatten_positions(F, call.whole(values), positions, dim)
    mode = "sum" if accumulate else "set"
    return call.wrap(F.scatter(F.contiguous(call.whole(input)), at, src, (dim + 1, mode)))


def spread(
    F: Namespace, index: Tensor, positions: tuple[int, ...], shape: tuple[int, ...], dim: int, from_zero: bool = False
) -> Tensor:
    """Expand a batch of positions along a dimension to an index for `gather`, which has all dimensions.

    Arguments:
        F: the namespace.
        index: the batch of positions.
        positions: the shape of the positions for one element of the batch.
        shape: the shape of the tensor.
        dim: the dimension of the tensor that is indexed.
        from_zero: whether negative positions raise an error instead of counting from the end.
    """
    size, count = index.shape[0], prod(positions)
    if not from_zero:
        index = F.where(F.lt(index, 0), F.add(index, shape[dim]), index)
    ahead, behind = shape[:dim], shape[dim + 1 :]
    index = F.reshape(index, (size, *[1] * len(ahead), count, *[1] * len(behind)))
    return F.contiguous(F.expand(index, (size, *ahead, count, *behind)))


def flatten_positions(F: Namespace, values: Tensor, positions: tuple[int, ...], dim: int) -> Tensor:
    """Flatten the position dimensions of a batch of values into one dimension."""
    shape, start = values.shape, dim + 1
    return F.reshape(values, (*shape[:start], prod(positions), *shape[start + len(positions) :]))
