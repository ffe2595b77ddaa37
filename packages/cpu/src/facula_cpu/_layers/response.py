"""The planner of local response normalization and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import Plan

from .._kernels import ffi, lib
from .._runtime.planners import SERIAL, bound_plan, no_kernel, planner
from .._runtime.registry import find_kernel

if TYPE_CHECKING:
    from .._runtime.types import Layouts, Parameters

TILE, LANES = lib.FACULA_RESPONSE_TILE, 16  # numbers of a tile and of a vector


@planner("local_response_norm", "local_response_norm_grad")
def plan_response(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan the norm of x (..., channels, elements), or its gradient from (g, x); floating dtypes, contiguous.

    Parameters: the number of channels in a window. Launch: alpha, beta, k.
    """
    (o,), (size,) = outputs, parameters
    kernel = find_kernel(operator, o.dtype.code)
    if kernel is None or any(layout.dtype is not o.dtype or not layout.is_contiguous for layout in (*inputs, o)):
        raise no_kernel(operator, inputs, outputs)
    channels, inner = o.shape[-2:]
    before, after = [min(count, max(0, channels - 1)) for count in (size // 2, (size - 1) // 2)]
    around = before + after
    if around >= TILE:
        raise no_kernel(operator, inputs, outputs)
    # As many columns as leave room for all channels, or else for as many channels as the windows extend beyond a tile.
    columns = max(1, TILE // (max(1, channels) + around), min(4 * LANES, TILE // (2 * around + 1)))
    strips = -(-inner // columns)
    columns = min(columns, -(-inner // (strips * LANES)) * LANES) if strips > 1 else max(1, inner)
    struct = ffi.new("struct facula_response *")
    struct.batch = o.numel // (channels * inner) if o.numel else 0
    struct.channels, struct.inner, struct.size = channels, inner, size
    struct.before, struct.after, struct.columns = before, after, columns
    struct.rows = max(1, min(channels, TILE // columns - around))
    tile = kernel.cost * columns * struct.rows
    struct.serial = kernel.cost * o.numel <= SERIAL
    struct.group = max(1, SERIAL // (2 * tile))
    return bound_plan(
        operator, parameters, outputs, kernel.address, struct, arrays=len(inputs) + 1, scalars=(float,) * 3,
        cost=kernel.cost,
    )  # fmt: skip
