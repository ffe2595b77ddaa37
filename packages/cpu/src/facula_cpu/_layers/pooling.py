"""Planners of pooling: `max_pool2d`, `max_pool2d_values`, `avg_pool2d`, their gradients, and `max_pool2d_pick`."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from facula_errors import UnsupportedError
from facula_storage import Plan

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    Window = tuple[int, int, int]  # first element, elements, factor of the divisor

    from .._runtime.types import Layouts, Parameters, Struct

INT64 = 6
MOST_ELEMENTS = 1 << 31  # of a plane: kernels count them in 32 bits
BY_INDEX = ("max_pool2d_grad", "max_pool2d_pick")  # without a geometry, they accept any indices
STRUCT = ffi.typeof("struct facula_pooling *")


@planner(
    "max_pool2d", "max_pool2d_grad", "max_pool2d_pick", "max_pool2d_values", "max_pool2d_values_grad", "avg_pool2d",
    "avg_pool2d_grad",
)  # fmt: skip
def plan_pooling(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan pooling of contiguous planes (..., height, width), float32 or float64; maxima also of int64.

    Parameters: geometry, and the size of the result's planes.

    max_pool2d maps planes to maxima and their indices in the plane (int64). Its geometry is (kernel, stride, padding,
    dilation), a pair each, or None for windows that divide a plane as evenly as possible. max_pool2d_grad maps
    gradients and indices to planes; with a geometry, it may ignore indices outside of their windows. max_pool2d_pick
    maps planes and indices to the elements there. An index out of range is status INDEX with (value, position, elements
    of a plane), without any write outside the output.

    max_pool2d_values maps planes to maxima alone. max_pool2d_values_grad maps gradients and these planes to planes.

    avg_pool2d maps planes to means of windows. Its geometry is (kernel, stride, padding, whether padding counts,
    divisor or None), or None as for max_pool2d. avg_pool2d_grad maps gradients to planes.
    """
    made, geometry = outputs[0], parameters[0]
    kernel = find_kernel(operator, made.dtype.code)
    by_values = operator == "max_pool2d_values_grad"
    arrays, indices = (inputs[0], made), (*inputs[1:], *outputs[1:]) if not by_values else ()
    if (
        kernel is None
        or not all(array.is_contiguous for array in (*inputs, *outputs))
        or any(array.dtype is not made.dtype for array in (inputs if by_values else inputs[:1]))
        or any(index.dtype.code != INT64 for index in indices)
    ):
        raise no_kernel(operator, inputs, outputs)
    backward = operator.endswith("grad")
    (height, width), (out_height, out_width) = (array.shape[-2:] for array in (arrays[::-1] if backward else arrays))
    if height * width >= MOST_ELEMENTS:
        raise UnsupportedError(f"{operator}: expected planes of less than 2**31 elements; got {height} x {width}")
    rows, columns = windows(operator, geometry, (height, width), (out_height, out_width))
    struct: Struct = ffi.new(STRUCT, {"windows": [number for window in (*rows, *columns) for number in window]})
    struct.planes = prod(made.shape[:-2])
    struct.height, struct.width, struct.out_height, struct.out_width = height, width, out_height, out_width
    struct.row_dilation = struct.column_dilation = struct.column_stride = 1
    if geometry is not None:
        struct.kernel_width, struct.column_stride, struct.left = (pair[1] for pair in geometry[:3])
        if operator.startswith("max"):
            struct.row_dilation, struct.column_dilation = geometry[3]
    elif operator not in BY_INDEX and out_width and not width % out_width:
        struct.kernel_width = struct.column_stride = width // out_width

    # Estimated work of the largest output row, or of a plane.
    tall, wide = max([row[1] for row in rows], default=0), max([column[1] for column in columns], default=0)
    finds = operator in ("max_pool2d", "max_pool2d_values")
    each = kernel.cost * (tall * wide * out_width if finds else tall * width + wide * out_width)
    units = struct.planes * out_height
    if len(inputs) > 1 or backward:
        each, units = each * out_height + kernel.cost * height * width, struct.planes
    struct.serial = each * units <= SERIAL
    struct.group = max(1, SERIAL // (2 * each or 1))
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + len(outputs),
        cost=each * units / max(made.numel, 1),
    )


def windows(operator: str, geometry: Parameters | None, size: Sequence[int], out: Sequence[int]) -> list[list[Window]]:
    """Return the windows of each output row, and of each output column."""
    if geometry is None:
        if operator in BY_INDEX:
            return [[(0, 0, 0)] * count for count in out]
        return [evenly(length, count) for length, count in zip(size, out, strict=True)]
    if operator.startswith("max"):
        return [regular(*along) for along in zip(size, out, *geometry, strict=True)]
    *pairs, padded, divisor = geometry
    both = [regular(*along, padded=padded) for along in zip(size, out, *pairs, strict=True)]
    if divisor is not None:
        both = [
            [(first, count, factor) for first, count, _ in taps]
            for taps, factor in zip(both, (divisor, 1), strict=True)
        ]
    return both


def regular(
    length: int, count: int, kernel: int, stride: int, padding: int, dilation: int = 1, *, padded: bool = False
) -> list[Window]:
    """Return `count` windows of `kernel` elements, `stride` apart, clipped to the borders; `padded` counts the padding.

    >>> regular(5, 3, 3, 2, 1), regular(5, 3, 3, 2, 1, padded=True)[0]
    ([(0, 2, 2), (1, 3, 3), (3, 2, 2)], (0, 2, 3))
    """
    found = []
    for start in range(-padding, count * stride - padding, stride):
        skipped = -(start // dilation) if start < 0 else 0
        first = start + skipped * dilation
        taps = min(kernel - skipped, -((first - length) // dilation))
        found.append((first, taps, min(kernel, length + padding - start) if padded else taps))
    return found


def evenly(length: int, count: int) -> list[Window]:
    """Return `count` windows that divide `length` elements as evenly as possible; neighbours may share an element.

    >>> evenly(5, 3)
    [(0, 2, 2), (1, 3, 3), (3, 2, 2)]
    """
    found = []
    for place in range(count):
        first, end = place * length // count, -((place + 1) * length // -count)
        found.append((first, end - first, end - first))
    return found
