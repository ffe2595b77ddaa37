"""Contracts of operators that move elements: by indices, windows, shifts and triangles."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_storage import int64

from .shapes import MAX_NUMBER, are_sizes, is_dim, is_flag, is_size, reach, without

if TYPE_CHECKING:
    from facula_storage import Layout

    from .declared import Contract, Promise

MAX_MOVES = 1 << 16


def take(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for a selection along a dimension by an index."""
    (a, index), (o,), (dim, *_) = inputs, outputs, parameters
    return _indexed(a, index, o, dim)


def _indexed(a: Layout, index: Layout, values: Layout, dim: Any) -> bool:
    """Return True if values have the shape of a selection along a dimension."""
    if not is_dim(dim, a.ndim) or index.dtype is not int64:
        return False
    dim %= a.ndim
    return values.shape == (*a.shape[:dim], *index.shape, *a.shape[dim + 1 :])


def put(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for values that are written to the positions of an index."""
    (index, values), (a,), (dim, accumulate, *rest) = inputs, outputs, parameters
    return is_flag(accumulate) and rest in ([], [True], [False]) and _indexed(a, index, values, dim)


def take_back(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for sums by position."""
    (values, index), (a,), (shape, dim, skip) = inputs, outputs, parameters
    return shape == a.shape and (skip is None or type(skip) is int) and _indexed(a, index, values, dim)


def gather(inputs: Any, parameters: Any) -> bool:
    """Check for an index for each element: the declaration checks shapes."""
    return is_dim(parameters[0], inputs[0].ndim)


def scatter(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for elements that are written to the positions of an index."""
    (_, _), (o,), (dim, mode) = inputs, outputs, parameters
    return is_dim(dim, o.ndim) and type(mode) is str


def scatter_copy(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for a `scatter` to a copy."""
    a, *rest = inputs
    return a.shape == outputs[0].shape and scatter(rest, outputs, parameters)


def gather_back(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for sums by position."""
    (_, _), (o,), (shape, dim) = inputs, outputs, parameters
    return shape == o.shape and is_dim(dim, o.ndim)


def merged_positions(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for positions in two dimensions, of these sizes."""
    (a, b), (o,), (size, length) = inputs, outputs, parameters
    return a.shape == b.shape == o.shape and is_size(size) and is_size(length) and size * length < MAX_NUMBER


def cat(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for one result; the roles of a launch contain the other requirements: see `plan_requests.py`."""
    return not inputs and len(outputs) == len(parameters) == 1 and outputs[0].is_contiguous


def flip(inputs: Any, parameters: Any) -> bool:
    """Check for reversed dimensions."""
    (a,), (dims,) = inputs, parameters
    return all([type(dim) is int and 0 <= dim < a.ndim for dim in dims]) and len(set(dims)) == len(dims)


def tile(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for repetitions of the whole and of elements."""
    (a,), (o,), (outer, inner) = inputs, outputs, parameters
    return (
        are_sizes(tuple(outer), a.ndim)
        and are_sizes(tuple(inner), a.ndim)
        and a.dtype is o.dtype
        and o.is_contiguous
        and o.shape == tuple([x * n * y for x, n, y in zip(outer, a.shape, inner, strict=True)])
    )


def roll(inputs: Any, parameters: Any) -> bool:
    """Check for shifts that do not exceed the size of their dimension."""
    (a,), (shifts, dims) = inputs, parameters
    return (
        len(shifts) == len(dims) == len(set(dims)) <= 12
        and all([type(dim) is int and 0 <= dim < a.ndim for dim in dims])
        and all([type(by) is int and 0 <= by <= a.shape[dim] for by, dim in zip(shifts, dims, strict=True)])
    )


def _inside(shape: Any, strides: Any, offset: Any, whole: Layout) -> bool:
    """Return True if a view of contiguous elements stays within them."""
    if not (whole.is_contiguous and len(shape) == len(strides) and type(offset) is int and 0 <= offset < MAX_NUMBER):
        return False
    if not all([type(stride) is int and abs(stride) < MAX_NUMBER for stride in (*shape, *strides)]):
        return False
    first, last = reach(tuple(shape), tuple(strides), offset)
    return 0 in shape or (first >= 0 and last < whole.numel)


def windows(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for the elements of a view."""
    (a,), (o,), (shape, strides, offset, _) = inputs, outputs, parameters
    return o.shape == tuple(shape) and a.dtype is o.dtype and _inside(shape, strides, offset, a)


def inset(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for elements that are written to the positions of a view."""
    (a,), (o,), (_, strides, offset, shared, value) = inputs, outputs, parameters
    return (
        type(value) in (bool, int, float, complex)
        and a.dtype is o.dtype
        and _inside(a.shape, strides, offset, o)
        and all([type(dim) is int and 0 <= dim < a.ndim for dim in shared])
        and len(set(shared)) == len(shared)
        and prod([a.shape[dim] for dim in shared]) <= MAX_MOVES
    )


def resample(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for one or two dimensions multiplied by matrices, which the planner checks."""
    (a,), (o,), (dim, matrix, columns, columns_first) = inputs, outputs, parameters
    dims = (dim,) if columns is None else (dim, a.ndim - 1)
    return (
        type(dim) is int
        and is_flag(columns_first)
        and 0 <= dim < a.ndim == o.ndim
        and a.dtype is o.dtype
        and without(a.shape, dims) == without(o.shape, dims)
        and matrix.length == a.shape[dim]
        and (columns is None or (dim == a.ndim - 2 and columns.length == a.shape[-1]))
    )


def taps(inputs: Any, parameters: Any) -> bool:
    """Check for sums of elements at positions, which the kernel checks; the planner checks shapes."""
    return all([layout.ndim == 3 for layout in inputs])


def triangle(inputs: Any, parameters: Any) -> bool:
    """Check for matrices with zeros on one side of a diagonal."""
    diagonal, upper = parameters
    return type(diagonal) is int and is_flag(upper)


PROMISES: dict[str, Promise] = {
    "gather": gather,
    "flip": flip,
    "roll": roll,
    "triangle": triangle,
    **dict.fromkeys(("gather_taps", "scatter_taps", "weigh_taps"), taps),
}
CONTRACTS: dict[str, Contract] = {
    "take": take,
    "index_select": take,
    "put": put,
    "take_back": take_back,
    "scatter": scatter,
    "scatter_copy": scatter_copy,
    "gather_back": gather_back,
    "merged_positions": merged_positions,
    "cat": cat,
    "tile": tile,
    "windows": windows,
    "inset": inset,
    "resample": resample,
}
