"""Planners of the number and the positions of true elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._dtype_codes import BOOL, INT64
from ..dimensions import dimensions_of, nest_of, padded
from ..launches import THREADS, Kernel, blocks_for, kernel_plan
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

TILE = 1024  # elements, as in positions.cuh


@planner("count_true")
def plan_count(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan the number of true elements of a mask (bool,): an int64 number."""
    mask, o = inputs[0], outputs[0]
    if mask.dtype.code != BOOL or o.dtype.code != INT64:
        return None
    dims = dimensions_of(mask.shape, mask.strides)
    kernels = [
        Kernel("count_true_clear", "clear_count(p);", 1, 1),
        Kernel("count_true", "count_all(p);", blocks_for(mask.numel, 4 * THREADS), waits=True),
    ]
    constants = {"total": mask.numel, "dims": len(dims), "nest": nest_of(dims)}
    return kernel_plan(operator, parameters, outputs, ["positions"], kernels, pointers="mask o", constants=constants)


@planner("nonzero", "nonzero_flat")
def plan_positions(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan positions of true elements: int64 (n,), or for "nonzero" coordinates (n, dimensions), for any n."""
    mask, o = inputs[0], outputs[0]
    columns = mask.shape[::-1] if operator == "nonzero" else ()
    fits = o.shape[1:] == ((len(columns),) if columns else ())
    if mask.dtype.code != BOOL or o.dtype.code != INT64 or not o.is_contiguous or not fits:
        return None
    dims = dimensions_of(mask.shape, mask.strides)
    tiles = -(-mask.numel // TILE)
    constants = {"total": mask.numel, "tiles": tiles, "dims": len(dims), "nest": nest_of(dims)}
    if columns:
        constants |= {"columns": len(columns), "extents": padded([max(1, extent) for extent in columns])}
    write = f"write_positions<{str(bool(columns)).lower()}>(p);"
    kernels = [
        Kernel(f"{operator}_count", "count_tiles(p);", blocks_for(tiles, 1), waits=True),
        Kernel(f"{operator}_scan", "scan_tiles(p);", 1, waits=True),
        Kernel(operator, write, blocks_for(tiles, 1), waits=True),
    ]
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["positions"],
        kernels,
        pointers="mask o",
        constants=constants,
        workspace=64 + 8 * tiles,
    )
