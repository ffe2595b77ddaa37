"""Several tensors in one index: merge the indexed dimensions, and combine the tensors into positions."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_errors import ArgumentError, InvalidIndexError
from facula_storage import Layout, bool_, contiguous

from ..._core.tensor import Tensor, elements, layout_of_tensor
from ..._core.wrapped import LevelLayout
from ..._dispatch.declaration import elementwise, operator
from ..._dispatch.namespaces import no_record_ops, recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.value_checks import refuse_outside, with_words
from .where import nonzero
from .where_true import where_true

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._dispatch.namespaces import Namespace

# Note [Several tensors in an index]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
# The tensors broadcast against each other; element (i, j) of the result is at the position given by their elements
# (i, j). `merged` moves the indexed dimensions next to each other and merges them, and combines the tensors into one
# tensor of positions in the merged dimension. The index then works like a single tensor. The result's new dimensions
# replace the first indexed dimension, or come first if the indexed dimensions were not adjacent (as in NumPy). A bool
# tensor is equivalent to one index tensor for each of its dimensions: the positions where it is true.


Arranged = tuple[tuple[int, ...], tuple[int, ...]]


def merged(
    F: Namespace, window: Tensor, named: list[tuple[int, Tensor]], read: bool = False
) -> tuple[Tensor, int, Tensor, Arranged]:
    """Merge the dimensions of `window` that `named` indexes.

    Returns the merged window, the merged dimension, positions along it, and the arrangement.

    `named` has pairs (dimension, index). The arrangement contains the window's shape and the order of its dimensions
    before the merge. If the window is only `read`, dimensions that repeat one element may be dropped.
    """
    pairs: list[tuple[int, Tensor]] = []
    alone = 0  # zero-dimensional bools so far: each adds a dimension of length 1
    for dim, index in named:
        dim += alone
        if index.dtype is not bool_:
            pairs.append((dim, index))
            continue
        if not index.ndim:
            window = F.unsqueeze(window, dim)
            alone += 1
        pairs += zip(range(dim, dim + (index.ndim or 1)), _where_true(index), strict=True)
    shape = _common_shape(pairs)
    dims = [dim for dim, _ in pairs]
    place = dims[0] if dims == list(range(dims[0], dims[0] + len(dims))) else 0
    others = [dim for dim in range(len(layout_of_tensor(window).shape)) if dim not in dims]
    order = (*others[:place], *dims, *others[place:])
    arranged = window if order == tuple(range(len(order))) else F.permute(window, order)
    lengths = layout_of_tensor(arranged).shape
    end = place + len(dims)
    if read:
        arranged = without_repeats(F, arranged, place, end)
    rooms = layout_of_tensor(arranged).shape
    positions: Any = None
    if len(pairs) > 1 and rooms == lengths and _are_on_the_cpu(pairs):
        positions = _all_positions(pairs, shape, lengths[place:end])
        pairs = []
    for (dim, index), size, room in zip(pairs, lengths[place:end], rooms[place:end], strict=False):
        if room == size and not isinstance(layout_of_tensor(index), LevelLayout):
            positions = _further(positions, index, dim, size)
            continue
        _check_range(index, dim, size)
        index = from_zero(index, size)
        if room != size:
            index = no_record_ops.mul(index, 0)
        positions = index if positions is None else no_record_ops.add(no_record_ops.mul(positions, room), index)
    flat = F.reshape(arranged, (*rooms[:place], prod(rooms[place:end]), *rooms[end:]))
    return flat, place, no_record_ops.contiguous(positions), (layout_of_tensor(window).shape, order)


def mask_positions(
    F: Namespace, input: Tensor, dim: int, mask: Tensor, read: bool = False
) -> tuple[Tensor, int, Tensor]:
    """Merge the dimensions of `input` that a mask covers.

    Returns the merged tensor, the merged dimension, and the positions where the mask is true.

    `dim` is the first of those dimensions. If the input is only `read`, repeated dimensions may be dropped, as in
    `merged`.
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
    """Flatten `input` to read it at the positions in `index`; return it with the adjusted positions.

    Drops dimensions that repeat an element, because flattening those would copy. Raises IndexError for positions out of
    range.
    """
    shape = layout_of_tensor(input).shape
    left = without_repeats(recorded_ops, input, 0, len(shape))
    if left is not input:
        size = prod(shape)
        _refuse_outside(operation, index, size)
        index = from_zero(index, size)
        index = _places_among(index, shape, layout_of_tensor(left).shape)
    return recorded_ops.reshape(left, (-1,)), index


def without_repeats(F: Namespace, input: Tensor, begin: int, end: int) -> Tensor:
    """Return `input` with length 1 in the dimensions from `begin` to `end` that repeat one element, as after `expand`.

    Returns `input` itself if its gradient is recorded, because the gradient has an element for each repetition.
    """
    layout = layout_of_tensor(input)
    if isinstance(layout, LevelLayout) or not layout.numel or (input.node is not None and is_grad_enabled()):
        return input
    for dim in range(begin, end):
        if layout.shape[dim] > 1 and not layout.strides[dim]:
            input = F.slice(input, dim, 0, 1, 1)
    return input


def _places_among(places: Tensor, shape: tuple[int, ...], rooms: tuple[int, ...]) -> Tensor:
    """Convert positions in a flattened tensor of `shape` to positions in `rooms`, whose lengths are equal or 1."""
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
    """Undo `merged`: restore the window's dimensions."""
    shape, order = arranged
    back = tuple([order.index(dim) for dim in range(len(order))])
    return F.permute(F.reshape(flat, tuple([shape[dim] for dim in order])), back)


def _where_true(mask: Tensor) -> tuple[Tensor, ...]:
    return nonzero(mask, as_tuple=True)


def _common_shape(pairs: list[tuple[int, Tensor]]) -> tuple[int, ...]:
    """Return the shape that the indices broadcast to."""
    try:
        return broadcast_shapes("index", *[layout_of_tensor(index).shape for _, index in pairs])
    except ArgumentError:
        shapes = " and ".join([str(tuple(positions.shape)) for _, positions in pairs])
        raise InvalidIndexError(
            f"index: expected tensors that broadcast, one for each of the dimensions {[dim for dim, _ in pairs]}; "
            f"got shapes {shapes}; to choose rows and columns separately, index twice: x[rows][:, columns]"
        ) from None


@elementwise
class _counted_from_zero:
    """Positions along a dimension of this size; negative ones get the size added."""

    inputs = ("index", "size")

    def value(F, index, size):
        return F.where(index < 0, index + size, index)


@elementwise
class _first_position:
    """Positions from 0, of positions that may be negative. The launch fails if one is out of range."""

    inputs = ("index", "size")
    no_gradient = inputs

    def value(F, index, size):
        place = F.where(index < 0, index + size, index)
        F.require((place >= 0) & (place < size))
        return place


@elementwise
class _next_position:
    """Positions in two merged dimensions, of those in the first and in the second; fails like `_first_position`."""

    inputs = ("positions", "index", "size")
    no_gradient = inputs

    def value(F, positions, index, size):
        place = F.where(index < 0, index + size, index)
        F.require((place >= 0) & (place < size))
        return positions * size + place


def from_zero(index: Tensor, size: int) -> Tensor:
    """Return positions along a dimension of this size, with the size added to negative ones."""
    return no_record_ops.counted_from_zero(index, size)


@operator
class _merged_positions:
    """Positions in two merged dimensions, of those in both; the launch fails if one is out of range."""

    inputs = ("first", "second")
    parameters = ("size", "length")

    def outputs(layout, second, size, length):
        return contiguous(layout.shape, layout.dtype, layout.device)


def _are_on_the_cpu(pairs: list[tuple[int, Tensor]]) -> bool:
    """Return whether one launch merges two dimensions: other devices and batches compute each index by a program."""
    layouts = [layout_of_tensor(index) for _, index in pairs]
    return all([type(layout) is Layout and layout.device.type == "cpu" for layout in layouts])


def _all_positions(pairs: list[tuple[int, Tensor]], shape: tuple[int, ...], sizes: tuple[int, ...]) -> Tensor:
    """Combine the indices of merged dimensions of these sizes, with this common shape.

    Raises IndexError for positions out of range.
    """
    indices = [
        index if layout_of_tensor(index).shape == shape else no_record_ops.expand(index, shape) for _, index in pairs
    ]
    words = [_words("index", index, size, f"dimension {dim}") for (dim, index), size in zip(pairs, sizes, strict=True)]
    positions, size = indices[0], sizes[0]
    for at in range(1, len(indices)):

        def compute(at: int = at, positions: Tensor = positions, size: int = size) -> Tensor:
            return no_record_ops.merged_positions(positions, indices[at], (size, sizes[at]))

        def describe(at: int = at) -> Exception:
            for (_, index), size, (error, _) in zip(pairs[:at], sizes, words, strict=False):
                if not _is_inside(index, size):
                    return error()
            return words[at][0]()

        def in_short(at: int = at) -> Exception:
            where = ", ".join([f"{dim} of size {size}" for (dim, _), size in zip(pairs[: at + 1], sizes, strict=False)])
            return InvalidIndexError(f"index: an index is out of range for one of the dimensions {where}")

        positions = with_words(positions, compute, describe, in_short)
        size *= sizes[at]
    return positions


def _is_inside(index: Tensor, size: int) -> bool:
    every = elements(index)
    return every.amin().item() >= -size and every.amax().item() < size


def _further(positions: Tensor | None, index: Tensor, dim: int, size: int) -> Tensor:
    """Combine positions in merged dimensions (None for the first) with an index into the next one.

    Raises an IndexError for positions outside dimension `dim` of length `size`.
    """

    def compute() -> Tensor:
        if positions is None:
            return no_record_ops.first_position(index, size)
        return no_record_ops.next_position(positions, index, size)

    return with_words(index, compute, *_words("index", index, size, f"dimension {dim}"))


def _check_range(index: Tensor, dim: int, size: int) -> None:
    """Raise an IndexError for positions outside dimension `dim` of length `size`."""
    _refuse_outside("index", index, size, f"dimension {dim}")


def _refuse_outside(operation: str, index: Tensor, size: int, where: str = "a dimension") -> None:
    """Raise an IndexError for positions outside a dimension of length `size`."""
    refuse_outside(index, -size, size - 1, *_words(operation, index, size, where))


def _words(
    operation: str, index: Tensor, size: int, where: str
) -> tuple[Callable[[], Exception], Callable[[], Exception]]:
    """Return functions that make the error for a position out of range: with the position, or without reading it."""

    def error(found: object) -> Exception:
        expected = f"expected {-size} to {size - 1}" if size else "it is empty"
        return InvalidIndexError(f"{operation}: {found} is out of range for {where} of size {size}; {expected}")

    def describe() -> Exception:
        lowest, highest = [extreme(elements(index)).item() for extreme in (Tensor.amin, Tensor.amax)]
        return error(highest if -size <= lowest < size else lowest)

    return describe, lambda: error("an index")
