"""The planner of QR, eigenvalues, singular values and pseudo-inverses of small real matrices."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .._kernels import ffi
from .._runtime.planners import GRAIN, SERIAL, bound_plan, planner, planners
from .._runtime.registry import find_kernel
from . import spectral as spectral
from .matmul import batch_strides

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from .._runtime.types import Layouts, Parameters

# Multiplications per n^3, and the most rows or columns: beyond, LAPACK is faster.
WORK = {"qr": 3, "qr_r": 1.5, "eigh": 12, "eigvalsh": 3, "svd": 12, "svdvals": 3, "pinv": 14}
MOST = 64
EACH = 100_000  # picoseconds: the overhead of a matrix
LAPACK = {operator: planners[operator] for operator in WORK}


@planner(*WORK)
def plan_decomposition(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a decomposition of matrices of any strides."""
    a, out = inputs[0], outputs[0]
    kernel = find_kernel(operator, *[layout.dtype.code for layout in (a, *outputs)])
    if any([layout.dtype is not a.dtype for layout in inputs]):
        kernel = None
    rows, columns = a.shape[-2:]
    is_small = 0 < min(rows, columns) and max(rows, columns) <= MOST
    if kernel is None or not is_small or not all(one.is_contiguous for one in outputs):
        return LAPACK[operator](operator, inputs, outputs, parameters)
    batch = a.shape[:-2]
    bounds = [_strides(bound, len(batch)) for bound in inputs[1:]] or [[0] * len(batch)] * 2
    nest = [dim for dim in zip(batch, batch_strides(a, batch, 2), *bounds, strict=True) if dim[0] != 1]
    matrices = prod(batch)
    cost = EACH + kernel.cost * WORK[operator] * min(rows, columns) ** 2 * max(rows, columns)
    struct = ffi.new(
        "struct facula_elimination *",
        {
            "matrices": matrices,
            "rows": rows,
            "columns": columns,
            "sides": out.shape[-1] if operator in {"qr", "svd"} else 0,
            "a_row": a.strides[-2],
            "a_column": a.strides[-1],
            "group": max(1, int(GRAIN / cost)),
            "upper": bool(parameters and parameters[0]),
            "serial": matrices * cost <= SERIAL,
            "batch_dims": len(nest),
            "nest": [number for dim in reversed(nest) for number in dim] or [0],
        },
    )
    return bound_plan(
        operator,
        parameters,
        outputs,
        kernel.address,
        struct,
        arrays=len(inputs) + len(outputs),
        cost=matrices * cost / max(out.numel, 1),
    )


def _strides(layout: Layout, ndim: int) -> list[int]:
    """Return the strides of a layout that is broadcast to `ndim` dimensions."""
    own = [0 if size == 1 else stride for size, stride in zip(layout.shape, layout.strides, strict=True)]
    return [0] * (ndim - len(own)) + own
