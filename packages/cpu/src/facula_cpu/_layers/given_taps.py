"""Planners of `gather_taps` and its derivatives, `scatter_taps` and `weigh_taps`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidValueError

from .._kernels import ffi
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters, Struct

INT64 = 6
SPAN = 512  # outputs whose weights are computed in one pass


@planner("gather_taps", "scatter_taps", "weigh_taps")
def plan_taps(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan weighted sums of elements at given positions; contiguous float32 or float64, positions int64.

    gather_taps maps inputs (images, channels, length), weights and positions (images, taps, count) to outputs (images,
    channels, count). scatter_taps maps the outputs' gradient, weights and positions to the inputs' gradient. weigh_taps
    maps the outputs' gradient, inputs and positions to the weights' gradient. A position outside the input reads 0 and
    receives no gradient.
    """
    first, second, places = inputs
    made = outputs[0]
    code = made.dtype.code
    kernel = find_kernel(operator, code)
    if (
        kernel is None
        or any([layout.dtype.code != code for layout in (first, second)])
        or places.dtype.code != INT64
        or not all([layout.is_contiguous for layout in (*inputs, made)])
    ):
        raise no_kernel(operator, inputs, outputs)
    if operator == "gather_taps":
        x, weights, y = first, second, made
    elif operator == "scatter_taps":
        x, weights, y = made, second, first
    else:
        x, weights, y = second, made, first
    images, channels, length = x.shape
    taps, count = places.shape[1:]
    if places.shape != (images, taps, count) or weights.shape != places.shape or y.shape != (images, channels, count):
        raise InvalidValueError(
            f"{operator}: expected shapes that fit; got {[layout.shape for layout in (*inputs, made)]}"
        )
    struct: Struct = ffi.new("struct facula_taps *")
    struct.images, struct.channels, struct.length, struct.taps, struct.count = images, channels, length, taps, count
    struct.span = SPAN
    work = kernel.cost * (images * channels * taps * count + made.numel)
    units = images * (-(-count // SPAN) if operator == "weigh_taps" else channels)
    struct.serial = work <= SERIAL
    group = max(1, int(SERIAL * units // (2 * work + 1)))
    struct.group = group if operator == "weigh_taps" else -(-group // 4) * 4
    return bound_plan(operator, parameters, outputs, kernel.address, struct, arrays=4, cost=work / max(made.numel, 1))
