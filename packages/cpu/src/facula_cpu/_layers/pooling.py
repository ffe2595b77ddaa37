"""Planners of pooling: `max_pool2d`, `max_pool2d_values`, `avg_pool2d`, their gradients, and `max_pool2d_pick`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import UnsupportedError

from .._kernels import lib
from .._runtime.planners import no_kernel, plan_for_layouts, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

INT64 = 6
MOST_ELEMENTS = 1 << 31  # of a plane: kernels count them in 32 bits
BY_INDEX = ("max_pool2d_grad", "max_pool2d_pick")  # without a geometry, they accept any indices


@planner(
    "max_pool2d", "max_pool2d_grad", "max_pool2d_pick", "max_pool2d_values", "max_pool2d_values_grad", "avg_pool2d",
    "avg_pool2d_grad",
)  # fmt: skip
def plan_pooling(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan pooling of contiguous planes (..., height, width), float32 or float64; maxima also of int64. Without
    indices, also float16 and bfloat16.

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
    indices = () if by_values else (*inputs[1:], *outputs[1:])
    if (
        kernel is None
        or not all(array.is_contiguous for array in (*inputs, *outputs))
        or any(array.dtype is not made.dtype for array in (inputs if by_values else inputs[:1]))
        or any(index.dtype.code != INT64 for index in indices)
    ):
        raise no_kernel(operator, inputs, outputs)
    backward = operator.endswith("grad")
    height, width = (made if backward else inputs[0]).shape[-2:]
    if height * width >= MOST_ELEMENTS:
        raise UnsupportedError(f"{operator}: expected planes of less than 2**31 elements; got {height} x {width}")
    kind, padded, divisor, pairs = lib.FACULA_EVEN_WINDOWS, False, None, []
    if geometry is None and operator in BY_INDEX:
        kind = lib.FACULA_NO_WINDOWS
    elif geometry is not None:
        kind, pairs = lib.FACULA_REGULAR_WINDOWS, geometry
        if operator.startswith("avg"):
            *pairs, padded, divisor = geometry
            pairs.append((1, 1))  # dilation
    return plan_for_layouts(
        operator,
        inputs,
        outputs,
        parameters,
        kernel=kernel.address,
        shape="pooling_shape",
        struct="facula_pooling",
        numbers=parameters[1:2],
        cost=kernel.cost,
        arrays=len(inputs) + len(outputs),
        results=len(outputs),
        ordered=operator in ("max_pool2d", "max_pool2d_values"),
        backwards=backward,
        together=backward or len(inputs) > 1,
        windows=kind,
        geometry=[number for pair in pairs for number in pair],
        flag=padded,
        option=divisor or 0,
    )
