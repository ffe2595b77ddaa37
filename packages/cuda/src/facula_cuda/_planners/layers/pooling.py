"""Planners of pooling and its gradients: kernels/layers/pooling.cuh."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..._dtype_codes import INT64
from ..arrays.indexing import MAX_POSITIONS, scattering
from ..launches import Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from ..launches import Constant

TYPES = {INT64: "int64_t", 9: "float", 10: "double"}
LANES = 16  # that add a window of whole rows
STATUS_INDEX = 1
#: By operator: the kernel's function, and the names of the launch's addresses.
KERNELS = {
    "max_pool2d": ("greatest_of_windows", "x o index"),
    "max_pool2d_grad": ("greatest_gradient", "g index o"),
    "max_pool2d_pick": ("pick_elements", "x index o"),
    "avg_pool2d": ("means_of_windows", "x o"),
    "avg_pool2d_grad": ("means_gradient", "g o"),
}


@planner(*KERNELS)
def plan_pooling(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan pooling of contiguous planes: operands and parameters as for the CPU's planner of these operators.

    max_pool2d_grad with the geometry of max_pool2d expects indices in their windows; without it, any indices.
    """
    made, geometry = outputs[0], parameters[0]
    arrays, indices = (inputs[0], made), (*inputs[1:], *outputs[1:])
    if (
        made.dtype.code not in (TYPES if operator == "max_pool2d" else (9, 10))
        or inputs[0].dtype is not made.dtype
        or not all([array.is_contiguous for array in (*arrays, *indices)])
        or any([index.dtype.code != INT64 for index in indices])
    ):
        return None
    T, name, count = TYPES[made.dtype.code], f"{operator}_{made.dtype.name}", made.numel
    size, out = (array.shape[-2:] for array in (arrays[::-1] if operator.endswith("grad") else arrays))
    if operator == "max_pool2d_grad" and geometry is None:
        return _plan_scattered(operator, inputs, made, parameters)
    function, pointers = KERNELS[operator]
    kernel, stride, padding, dilation, counted, divisor = (1, 1), (1, 1), (0, 0), (1, 1), False, None
    if operator.startswith("avg") and geometry is not None:
        kernel, stride, padding, counted, divisor = geometry
    elif geometry is not None:
        kernel, stride, padding, dilation = geometry
    adaptive = geometry is None
    # Whole rows: as on the CPU, which adds them in lanes.
    wide = size[1] if adaptive else min(kernel[1] - padding[1], size[1])
    waits = operator == "avg_pool2d" and out[1] == 1 and wide == size[1]
    if waits:
        function, count = "means_of_rows", count * LANES
    constants: dict[str, Constant] = {
        "size": size,
        "out": out,
        "kernel": kernel,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "adaptive": int(adaptive),
        "counted": int(counted),
        "divisor": divisor or 0,
    }
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["pooling"],
        [Kernel(name, f"{function}<{T}>(p);", blocks_for(count), waits=waits)],
        pointers=pointers,
        constants=constants,
        checks=inputs if operator == "max_pool2d_pick" else (),
    )


def _plan_scattered(operator: str, inputs: tuple[Any, ...], made: Layout, parameters: tuple[Any, ...]) -> Plan | None:
    """Plan the addition of gradients to planes of zeros at any indices: see Note [Deterministic scattering]."""
    itemsize = made.dtype.itemsize
    area, count, planes = prod(made.shape[-2:]), prod(inputs[0].shape[-2:]), prod(made.shape[:-2])
    if count > MAX_POSITIONS:
        return None
    name = f"{operator}_{made.dtype.name}_scattered"
    kernels, more, workspace = scattering(name, made, "COMBINE_SUM", planes, count, area, 0, True, "nullptr")
    constants: dict[str, Constant] = {
        "size": area,
        "step": itemsize,
        "index_step": 8,
        "value_step": itemsize,
        "lines": planes,
        "lines_after": 1,
        "length": count,
        "by_line": 1,
        "dims": 1,
        "nest": (planes, area * itemsize, count * 8, count * itemsize),
        "status": STATUS_INDEX,
        **more,
    }
    return kernel_plan(
        operator,
        parameters,
        (made,),
        ["indexing"],
        kernels,
        pointers="values index array",
        constants=constants,
        workspace=workspace,
        checks=inputs,
    )
