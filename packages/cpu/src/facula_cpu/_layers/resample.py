"""The planner of `resample`: weighted sums along one or two dimensions."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidValueError

from .._kernels import ffi, lib
from .._runtime.planners import GRAIN, SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters, Struct

STRUCT = ffi.typeof("struct facula_resample *")
INTEGERS, DOUBLES, FLOATS = ffi.typeof("int64_t[]"), ffi.typeof("double[]"), ffi.typeof("float[]")
KINDS = {
    "nearest": lib.FACULA_NEAREST_TAPS, "linear": lib.FACULA_LINEAR_TAPS, "cubic": lib.FACULA_CUBIC_TAPS,
    "reflect": lib.FACULA_REFLECTED_TAPS, "replicate": lib.FACULA_REPEATED_TAPS, "circular": lib.FACULA_CIRCULAR_TAPS,
}  # fmt: skip
MOST_TAPS = 4096  # of matrices whose structs are cached
IMAGE = 65536  # bytes of the rows of an image in a task


@planner("resample")
def plan_resample(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a with a dimension multiplied by a sparse matrix; contiguous float32 or float64.

    Parameters: the dimension, and the matrix as an object with `length`, `starts` (count + 1 of them), `places` and
    `weights`: element i of the output is the sum of weights[k] * a[places[k]] for k from starts[i] to starts[i + 1]. If
    it has `regular`, a kind of KINDS and the numbers of facula_regular_taps, these arrays are read only if C
    rejects the numbers; `size` is their length.
    Then, optionally, the matrix of the next dimension, which is the last one, and whether it is applied first. Its rows
    and columns must have at most FACULA_RESAMPLE_ROOM bytes.
    """
    (a,), (o,), (dim, matrix, *further) = inputs, outputs, parameters
    kernel = find_kernel(operator, a.dtype.code, o.dtype.code)
    if kernel is None or not (a.is_contiguous and o.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    last, columns_first = further or (None, False)
    outer, inner = prod(a.shape[:dim]), prod(a.shape[dim + 1 :])
    length, count = a.shape[dim], o.shape[dim]
    rows_struct, kept = struct_of(matrix, length, count, o.dtype.numpy)
    struct: Struct = ffi.new(STRUCT, rows_struct[0])
    each = kernel.cost * inner * size_of(matrix) / max(count, 1)  # an output row
    rows = outer * count
    struct.outer, struct.inner = outer if o.numel else 0, inner
    if last is not None:
        columns, also = struct_of(last, a.shape[-1], o.shape[-1], o.dtype.numpy)
        if dim != a.ndim - 2 or max(a.shape[-1], o.shape[-1]) * o.dtype.itemsize > lib.FACULA_RESAMPLE_ROOM:
            raise no_kernel(operator, inputs, outputs)
        kept = [*kept, columns, *also]
        struct.columns, struct.columns_first = columns, columns_first
        struct.inner = (o if columns_first else a).shape[-1]
        each += kernel.cost * size_of(last)
        struct.group = max(8, IMAGE // max(o.shape[-1] * o.dtype.itemsize, 1))
    else:
        if inner == 1:
            each, rows = each * count, outer
        struct.group = max(1, int(4 * GRAIN // (each + 1)))
    struct.serial = rows * each <= SERIAL
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=2,
        cost=rows * each / max(o.numel, 1),
        also=kept,
    )


def struct_of(matrix: Any, length: int, count: int, dtype: Any) -> tuple[Struct, list[Struct]]:
    """Return the result of `matrix_struct`, the same for the same small matrix: sizes of images recur."""
    is_constant = type(matrix).__hash__ is object.__hash__ and size_of(matrix) <= MOST_TAPS
    return (_cached_struct if is_constant else matrix_struct)(matrix, length, count, dtype)


def size_of(matrix: Any) -> int:
    """Return the number of taps."""
    size: int | None = getattr(matrix, "size", None)
    return len(matrix.places) if size is None else size


def matrix_struct(matrix: Any, length: int, count: int, dtype: Any) -> tuple[Struct, list[Struct]]:
    """Return the plan of a matrix, and the arrays that it points to."""
    regular = getattr(matrix, "regular", None)
    if regular is not None and (matrix.length, matrix.count) == (length, count):
        kind, *numbers = regular
        size, is_double = matrix.size, dtype.itemsize == 8
        arrays = [
            ffi.new(INTEGERS, count + 1),
            ffi.new(INTEGERS, size),
            ffi.new(DOUBLES if is_double else FLOATS, size),
        ]
        struct = ffi.new(
            STRUCT, {"length": length, "count": count, "starts": arrays[0], "places": arrays[1], "weights": arrays[2]}
        )
        taps = lib.facula_regular_taps(KINDS[kind], numbers, length, count, is_double, *arrays)
        if taps >= 0 and taps * count == size:
            struct.taps = taps if count else 0
            return struct, arrays
    starts, places, weights = taps_of(matrix, length, count, dtype)
    widths = np.diff(starts)
    buffers: list[Any] = [ffi.from_buffer("int64_t[]", starts), ffi.from_buffer("int64_t[]", places)]
    buffers.append(ffi.from_buffer(weights))
    struct = ffi.new(STRUCT)
    struct.length, struct.count = length, count
    struct.taps = int(widths[0]) if count and (widths == widths[0]).all() else 0
    struct.starts, struct.places = buffers[0], buffers[1]
    struct.weights = ffi.cast("void *", buffers[2])
    return struct, buffers


_cached_struct = lru_cache(maxsize=1024)(matrix_struct)


def taps_of(matrix: Any, length: int, count: int, dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the arrays of a sparse matrix, checked: starts and places (int64), and weights.

    Arguments:
        matrix: has the attributes `starts`, `places` and `weights`.
        length, count: the numbers of its columns and rows.
        dtype: of the weights.

    Raises:
        InvalidValueError: the arrays do not describe a matrix of this size.
    """
    starts = np.ascontiguousarray(matrix.starts, np.int64)
    places = np.ascontiguousarray(matrix.places, np.int64)
    weights = np.ascontiguousarray(matrix.weights, dtype)
    if (
        len(starts) != count + 1
        or starts[0]
        or starts[-1] != len(places)
        or len(places) != len(weights)
        or min(np.diff(starts), default=0) < 0
        or (len(places) and not 0 <= places.min() <= places.max() < length)
    ):
        raise InvalidValueError(f"resample: expected taps from {length} to {count} elements in range; got others")
    return starts, places, weights
