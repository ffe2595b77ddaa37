"""Several tensors in one index: their dimensions merged into one, and the positions that they name together."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_errors import ArgumentError, InvalidIndexError
from facula_storage import bool_

from ..._core.tensor import Tensor, elements, layout_of_tensor
from ..._core.wrapped import LevelLayout
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.value_checks import refuse_outside
from .where import nonzero
from .where_true import where_true

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


def merged(
    F: Namespace, window: Tensor, named: list[tuple[int, Tensor]], read: bool = False
) -> tuple[Tensor, int, Tensor, Arranged]:
    """`window` with the dimensions that `named` indexes as one, that dimension, positions along it, and the order.

    `named` has pairs (dimension, index). The order, with the window's shape, is that of dimensions before the merge.
    Where the window is only `read`, dimensions that repeat one element may be left out.
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
    if read:
        arranged = without_repeats(F, arranged, place, end)
    rooms = layout_of_tensor(arranged).shape
    positions: Any = None
    for (dim, index), size, room in zip(pairs, lengths[place:end], rooms[place:end], strict=True):
        _check_range(index, dim, size)
        index = no_record_ops.where(no_record_ops.lt(index, 0), no_record_ops.add(index, size), index)
        if room != size:
            index = no_record_ops.mul(index, 0)
        positions = index if positions is None else no_record_ops.add(no_record_ops.mul(positions, room), index)
    flat = F.reshape(arranged, (*rooms[:place], prod(rooms[place:end]), *rooms[end:]))
    return flat, place, no_record_ops.contiguous(positions), (layout_of_tensor(window).shape, order)


def mask_positions(
    F: Namespace, input: Tensor, dim: int, mask: Tensor, read: bool = False
) -> tuple[Tensor, int, Tensor]:
    """`input` with the dimensions that a mask covers as one, that dimension, and the places where the mask is true.

    `dim` is the first of those dimensions. Where the input is only `read`, `merged` says what may be left out.
    """
    places = where_true("nonzero_flat", mask, ())
    if mask.ndim != 1:
        shape, end = layout_of_tensor(input).shape, dim + mask.ndim
        if read:
            input = without_repeats(F, input, dim, end)
        rooms = layout_of_tensor(input).shape
        places = _places_among(places, shape[dim:end], rooms[dim:end])
        input = F.reshape(input, (*rooms[:dim], prod(rooms[dim:end]), *rooms[end:]))
    return input, dim, places


def flattened_for_reading(operation: str, input: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """`input` in one dimension, to read it at places of `index`; without those that repeat an element, which could not
    be one without a copy, and the places in what is left. IndexError for places that there are not.
    """
    shape = layout_of_tensor(input).shape
    left = without_repeats(recorded_ops, input, 0, len(shape))
    if left is not input:
        size = prod(shape)
        refuse_outside(index, -size, size - 1, lambda: _outside(operation, index, size))
        index = no_record_ops.where(no_record_ops.lt(index, 0), no_record_ops.add(index, size), index)
        index = _places_among(index, shape, layout_of_tensor(left).shape)
    return recorded_ops.reshape(left, (-1,)), index


def without_repeats(F: Namespace, input: Tensor, begin: int, end: int) -> Tensor:
    """`input` with length 1 in those dimensions from `begin` to `end` that repeat one element, as after `expand`.

    `input` itself where its gradient is recorded, which has an element for each repetition.
    """
    layout = layout_of_tensor(input)
    if isinstance(layout, LevelLayout) or not layout.numel or (input.node is not None and is_grad_enabled()):
        return input
    for dim in range(begin, end):
        if layout.shape[dim] > 1 and not layout.strides[dim]:
            input = F.slice(input, dim, 0, 1, 1)
    return input


def _places_among(places: Tensor, shape: tuple[int, ...], rooms: tuple[int, ...]) -> Tensor:
    """Places in a flattened tensor of `shape` as those in one of `rooms`, whose lengths are the same or 1."""
    if rooms == shape:
        return places
    found, step = no_record_ops.mul(places, 0), 1
    for length, room in zip(reversed(shape), reversed(rooms), strict=True):
        if room == length:
            found = no_record_ops.add(found, no_record_ops.mul(no_record_ops.remainder(places, length), step))
            step *= room
        places = no_record_ops.floor_divide(places, length)
    return found


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

    refuse_outside(index, -size, size - 1, lambda: _outside("index", index, size, dim))


def _outside(operation: str, index: Tensor, size: int, dim: int | str = "") -> Exception:
    """The error about places outside of dimension `dim` of length `size`."""
    every = elements(index)
    lowest, highest = [extreme(every).item() for extreme in (Tensor.amin, Tensor.amax)]
    expected = f"expected {-size} to {size - 1}" if size else "it is empty"
    found, where = highest if -size <= lowest < size else lowest, f"dimension {dim}" if dim != "" else "a dimension"
    return InvalidIndexError(f"{operation}: {found} is out of range for {where} of size {size}; {expected}")
