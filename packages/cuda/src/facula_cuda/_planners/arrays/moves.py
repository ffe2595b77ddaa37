"""Planners of operators that move elements without reading their values: flip, roll, tile and triangle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dimensions import merged, nest_of
from ..launches import Kernel, blocks_for, kernel_plan
from ..registry import planner
from .indexing import MOVED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import Layout, Plan

    from ..dimensions import Dimension
    from ..launches import Constant


@planner("flip")
def plan_flip(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan o = a reversed along some dimensions, of any strides."""
    (a,), (o,), (dims,) = inputs, outputs, parameters
    steps = [-step if dim in dims else step for dim, step in enumerate(a.strides)]
    start = sum([(a.shape[dim] - 1) * a.strides[dim] for dim in dims])
    return move_plan(operator, inputs, outputs, parameters, list(zip(o.shape, o.strides, steps, strict=True)), start)


@planner("roll")
def plan_roll(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan o = a rotated along dimensions, of any strides. Shifts are in range."""
    (a,), (o,), (shifts, along) = inputs, outputs, parameters
    turns = [0] * a.ndim
    for by, dim in zip(shifts, along, strict=True):
        turns[dim] = -by % max(a.shape[dim], 1)
    dims = list(zip(o.shape, o.strides, a.strides, turns, strict=True))
    return move_plan(operator, inputs, outputs, parameters, dims)


@planner("tile")
def plan_tile(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan contiguous o = a with each dimension repeated `outer` times as a whole, each element `inner` times."""
    (a,), (outer, inner) = inputs, parameters
    dims: list[Dimension] = []
    step = 1
    for size, own, whole, each in list(zip(a.shape, a.strides, outer, inner, strict=True))[::-1]:
        dims += (each, step, 0), (size, step * each, own), (whole, step * each * size, 0)
        step *= whole * size * each
    return move_plan(operator, inputs, outputs, parameters, dims) if outputs[0].is_contiguous else None


@planner("triangle")
def plan_triangle(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan o = contiguous matrices `a` with zeros beyond a diagonal; parameters (diagonal, keep the upper part)."""
    (a,), (o,), (diagonal, upper) = inputs, outputs, parameters
    if a.dtype is not o.dtype or not (a.is_contiguous and o.is_contiguous):
        return None
    rows, columns = a.shape[-2:]
    constants = {"count": o.numel, "rows": rows, "columns": columns, "upper": int(upper)}
    constants["diagonal"] = max(-rows - 1, min(diagonal, columns + 1))
    size = o.dtype.itemsize
    kernel = Kernel(f"triangle_{size}", f"copy_triangle<{MOVED[size]}>(p);", blocks_for(o.numel))
    return kernel_plan(operator, parameters, outputs, ["moves"], [kernel], pointers="a o", constants=constants)


def move_plan(
    operator: str,
    inputs: tuple[Any, ...],
    outputs: tuple[Layout, ...],
    parameters: tuple[Any, ...],
    dims: Sequence[Dimension],
    start: int = 0,
) -> Plan | None:
    """Plan a copy of dimensions: length, steps of o and of a in elements, and how far a is rotated, if at all."""
    (a,), (o,) = inputs, outputs
    if a.dtype is not o.dtype:
        return None
    size = o.dtype.itemsize
    found: list[Dimension] = []
    run: list[Dimension] = []  # neighbours that are not rotated
    for length, to, own, *turn in sorted(dims, key=lambda dim: dim[1]):
        dim = (length, to * size, own * size, *(turn or (0,)))
        if dim[3]:
            found += [*merged(run), dim]
            run = []
        else:
            run.append(dim)
    found += merged(run)
    constants: dict[str, Constant] = {"start": start * size, "count": o.numel, "dims": len(found)}
    constants["nest"] = nest_of(found)
    kernel = Kernel(f"move_{size}", f"move_elements<{MOVED[size]}>(p);", blocks_for(o.numel))
    return kernel_plan(operator, parameters, outputs, ["moves"], [kernel], pointers="a o", constants=constants)
