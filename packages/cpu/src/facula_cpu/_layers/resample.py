"""The planner of `resample`: weighted sums along a dimension."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidValueError

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters


@planner("resample")
def plan_resample(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan o = a with a dimension multiplied by a sparse matrix; contiguous float32 or float64.

    Parameters: the dimension, and the matrix as an object with `length`, `starts` (count + 1 of them), `places` and
    `weights`: element i of the output is the sum of weights[k] * a[places[k]] for k from starts[i] to starts[i + 1].
    """
    (a,), (o,), (dim, matrix) = inputs, outputs, parameters
    kernel = find_kernel(operator, a.dtype.code, o.dtype.code)
    if kernel is None or not (a.is_contiguous and o.is_contiguous):
        raise no_kernel(operator, inputs, outputs)
    outer, inner = prod(a.shape[:dim]), prod(a.shape[dim + 1 :])
    length, count = a.shape[dim], o.shape[dim]
    starts, places, weights = taps_of(matrix, length, count, o.dtype.numpy)
    widths = np.diff(starts)
    taps = int(widths[0]) if count and (widths == widths[0]).all() else 0
    buffers = [ffi.from_buffer("int64_t[]", starts), ffi.from_buffer("int64_t[]", places), ffi.from_buffer(weights)]
    each = kernel.cost * (inner + 1) * len(places) / max(count, 1)  # an output row
    rows = outer * count
    if inner == 1:
        each, rows = each * count, outer
    struct = ffi.new("struct facula_resample *")
    struct.outer, struct.length, struct.count, struct.inner = outer if count and inner else 0, length, count, inner
    struct.taps = taps
    struct.starts, struct.places = buffers[0], buffers[1]
    struct.weights = ffi.cast("void *", buffers[2])
    struct.group = max(1, int(SERIAL // (2 * each + 1)))
    struct.serial = rows * each <= SERIAL
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=2,
        cost=rows * each / max(o.numel, 1),
        also=buffers,
    )


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
