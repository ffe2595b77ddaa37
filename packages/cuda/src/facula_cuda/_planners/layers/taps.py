"""Planners of weighted sums of elements at given positions, such as resized images: kernels/layers/taps.cuh."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_cpu.extend import taps_of

from ..._dtype_codes import FLOAT32, FLOAT64, INT64
from ..arrays.indexing import MAX_POSITIONS
from ..launches import Kernel, blocks_for, kernel_plan
from ..registry import planner
from ..tables import Table

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

TYPES = {FLOAT32: "float", FLOAT64: "double"}
POINTERS = {"gather_taps": "x weights places o", "scatter_taps": "g weights places o", "weigh_taps": "g x places o"}


@planner("resample")
def plan_resample(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan o = contiguous `a` with a dimension multiplied by a sparse matrix, a parameter as for the CPU's planner."""
    (a,), (o,), (dim, matrix, *further) = inputs, outputs, parameters
    if any(further) or o.dtype.code not in TYPES or a.dtype is not o.dtype or not (a.is_contiguous and o.is_contiguous):
        return None
    length, count = a.shape[dim], o.shape[dim]
    table = Table(o.device.index or 0, taps_of(matrix, length, count, o.dtype.numpy))
    starts, places, weights = table.addresses
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["taps"],
        [Kernel(f"{operator}_{o.dtype.name}", f"resample<{TYPES[o.dtype.code]}>(p);", blocks_for(o.numel))],
        pointers="x o",
        constants={
            "length": length,
            "count": count,
            "inner": prod(a.shape[dim + 1 :]),
            "starts": starts,
            "places": places,
            "weights": weights,
        },
        kept=table,
    )


@planner(*POINTERS)
def plan_taps(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan sums of elements at given places: operands as for the CPU's planner of these operators, contiguous."""
    (first, second, places), (made,) = inputs, outputs
    if (
        made.dtype.code not in TYPES
        or any([layout.dtype is not made.dtype for layout in (first, second)])
        or places.dtype.code != INT64
        or not all([layout.is_contiguous for layout in (*inputs, made)])
    ):
        return None
    x = {"gather_taps": first, "scatter_taps": made, "weigh_taps": second}[operator]
    (images, channels, length), (taps, count) = x.shape, places.shape[1:]
    targets = images * taps * length if operator == "scatter_taps" else 0
    T, name = TYPES[made.dtype.code], f"{operator}_{made.dtype.name}"
    kernels = [Kernel(name, f"{operator}<{T}>(p);", blocks_for(made.numel))]
    if operator == "scatter_taps":
        if count > MAX_POSITIONS:
            return None
        begin = f"begin_targets<COMBINE_SUM, {T}>(p, p.o, nullptr);"
        kernels.insert(0, Kernel(f"{name}_begin", begin, blocks_for(targets)))
        kernels.insert(1, Kernel(f"{name}_mark", "mark_taps(p);", blocks_for(places.numel)))
    return kernel_plan(
        operator,
        parameters,
        outputs,
        ["taps"],
        kernels,
        pointers=POINTERS[operator],
        constants={
            "channels": channels,
            "length": length,
            "taps": taps,
            "count": count,
            "marked": places.numel,
            "targets": targets,
            "fresh": 0,
        },
        workspace=64 + 8 * targets if targets else 0,
        absent="" if targets or operator != "scatter_taps" else "workspace",
    )
