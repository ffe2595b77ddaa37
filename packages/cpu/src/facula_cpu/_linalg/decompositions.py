"""The planner of QR, eigenvalues, singular values and pseudo-inverses of small real matrices."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from .._runtime.planners import planner, planners
from .._runtime.registry import find_kernel
from . import spectral as spectral
from .elimination import plan_matrices
from .matmul import batch_strides

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

# Multiplications per n^3, and the most rows or columns, the fewer of both (or those of Q) and the more: beyond, LAPACK
# is faster, or the kernels have no memory.
WORK = {"qr": 3, "qr_r": 1.5, "eigh": 12, "eigvalsh": 3, "svd": 12, "svdvals": 3, "pinv": 14}
MOST = {"qr": (320, 2048), "qr_r": (320, 2048)}
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
    sides = out.shape[-1] if operator in {"qr", "svd"} else 0
    fewer, more = MOST.get(operator, (64, 64))
    is_small = 0 < min(rows, columns) and max(min(rows, columns), sides) <= fewer and max(rows, columns) <= more
    if kernel is None or not is_small or not all(one.is_contiguous for one in outputs):
        return LAPACK[operator](operator, inputs, outputs, parameters)
    batch = a.shape[:-2]
    steps = [batch_strides(a, batch), *[batch_strides(bound, batch, 0) for bound in inputs[1:]]]
    return plan_matrices(
        operator,
        inputs,
        outputs,
        parameters,
        kernel.address,
        EACH + kernel.cost * WORK[operator] * min(rows, columns) ** 2 * max(rows, columns),
        batch,
        [*steps, repeat(0), repeat(0)][:3],
        rows=rows,
        columns=columns,
        sides=sides,
        a_row=a.strides[-2],
        a_column=a.strides[-1],
        upper=bool(parameters and parameters[0]),
    )
