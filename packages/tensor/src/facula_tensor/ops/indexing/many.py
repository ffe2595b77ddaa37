"""Several tensors in one index: their dimensions merged into one, and the positions that they name together."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidIndexError
from facula_storage import bool_

from ..._core.tensor import Tensor, elements, layout_of_tensor
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.planning import broadcast_shapes
from ..._dispatch.value_checks import refuse_outside
from ..choosing import nonzero

if TYPE_CHECKING:
    from ..._dispatch.namespaces import Namespace

# Note [Several tensors in an index]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# The tensors broadcast against each other, and element (i, j) of the result is the one that their elements (i, j) name.
# The dimensions that they index are brought next to each other and merged; the tensors become one tensor of positions
# in the merged dimension. Then an index is what it is with one tensor. The result's new dimensions stand where the
# first index stood, or, where the indexed dimensions were not neighbours, in front (as in NumPy). A bool tensor is as
# many tensors as it has dimensions: where it is true.


Arranged = tuple[tuple[int, ...], tuple[int, ...]]


def merged(F: Namespace, window: Tensor, named: list[tuple[int, Tensor]]) -> tuple[Tensor, int, Tensor, Arranged]:
    """`window` with the dimensions that `named` indexes as one, that dimension, positions along it, and the order.

    `named` has pairs (dimension, index). The order, with the window's shape, is that of dimensions before the merge.
    """
    pairs: list[tuple[int, Tensor]] = []
    alone = 0  # bools without dimensions so far: each stands for a dimension of length 1 of its own
    for dim, index in named:
        dim += alone
        if index.dtype is not bool_:
            pairs.append((dim, index))
            continue
        if not index.ndim:
            window = F.unsqueeze(window, dim)
            alone += 1
        pairs += zip(range(dim, dim + (index.ndim or 1)), _where_true(index), strict=True)
    _check_shapes(pairs)
    dims = [dim for dim, _ in pairs]
    place = dims[0] if dims == list(range(dims[0], dims[0] + len(dims))) else 0
    others = [dim for dim in range(len(layout_of_tensor(window).shape)) if dim not in dims]
    order = (*others[:place], *dims, *others[place:])
    arranged = F.permute(window, order)
    lengths = layout_of_tensor(arranged).shape
    end = place + len(dims)
    positions: Any = None
    for (dim, index), size in zip(pairs, lengths[place:end], strict=True):
        _check_range(index, dim, size)
        index = no_record_ops.where(no_record_ops.lt(index, 0), no_record_ops.add(index, size), index)
        positions = index if positions is None else no_record_ops.add(no_record_ops.mul(positions, size), index)
    flat = F.reshape(arranged, (*lengths[:place], prod(lengths[place:end]), *lengths[end:]))
    return flat, place, no_record_ops.contiguous(positions), (layout_of_tensor(window).shape, order)


def unmerged(F: Namespace, flat: Tensor, arranged: Arranged) -> Tensor:
    """Undo `merged`, in the window's order."""
    shape, order = arranged
    back = tuple([order.index(dim) for dim in range(len(order))])
    return F.permute(F.reshape(flat, tuple([shape[dim] for dim in order])), back)


def _where_true(mask: Tensor) -> tuple[Tensor, ...]:
    return nonzero(mask, as_tuple=True)


def _check_shapes(pairs: list[tuple[int, Tensor]]) -> None:
    shape: tuple[int, ...] = ()
    for _, index in pairs:
        try:
            shape = broadcast_shapes("index", shape, tuple(index.shape))
        except ArgumentError:
            shapes = " and ".join([str(tuple(one.shape)) for _, one in pairs])
            raise InvalidIndexError(
                f"index: expected tensors that broadcast, one for each of the dimensions {[dim for dim, _ in pairs]}; "
                f"got shapes {shapes}; to choose rows and columns apart, index twice: x[rows][:, columns]"
            ) from None


def _check_range(index: Tensor, dim: int, size: int) -> None:
    """IndexError for places outside a dimension `dim` of length `size`."""

    def describe() -> Exception:
        every = elements(index)
        lowest, highest = [extreme(every).item() for extreme in (Tensor.amin, Tensor.amax)]
        expected = f"expected {-size} to {size - 1}" if size else "it is empty"
        found = highest if -size <= lowest < size else lowest
        return InvalidIndexError(f"index: {found} is out of range for dimension {dim} of size {size}; {expected}")

    refuse_outside(index, -size, size - 1, describe)
