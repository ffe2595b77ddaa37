"""The planner of copies: within a dtype or between two, and by blocks if the order of dimensions differs."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from facula_storage import Plan
from facula_storage.extend.layouts import dtype_of_code

from .._kernels import ffi
from .._runtime.planners import planner, shaped_launches
from .._runtime.registry import kernel_for
from .elementwise import find_form, plan_elementwise
from .typed import intermediate_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Layout

    from .._runtime.types import ForLayouts, Layouts, Parameters

BETWEEN = 4  # the maximum element size between two conversions, which bounds the memory of tile rows


@planner("copy")
def plan_copy(operator: str, inputs: Layouts, outputs: Layouts, parameters: Parameters) -> Plan:
    """Plan a copy of one array, broadcast to the output's shape, with the casts that cast.inc describes."""
    (source,), (target,) = inputs, outputs
    if isinstance(source, type):
        return plan_elementwise(operator, inputs, outputs, parameters)
    strided = launches_of_strided(source.dtype.code, target.dtype.code)
    launch = launch_strided(strided, target, source)
    if launch is None:
        plan = plan_elementwise(operator, inputs, outputs, parameters)
    else:
        plan = Plan(operator, parameters, outputs, launch)
    form = find_form("copy", (source.dtype.code,), target.dtype.code)
    assert form is not None
    plan.for_layouts = partial(launch_copy, strided, form.for_layouts)
    return plan


def launch_copy(
    strided: tuple[ForLayouts, ...], loops: ForLayouts, output: Layout, source: Layout, *reversed_dims: tuple[int, ...]
) -> Callable[..., None] | None:
    """Return the launch of a copy: by tiles or runs if the source has gaps, where they are worthwhile."""
    return launch_strided(strided, output, source, *reversed_dims) or loops(output, source, *reversed_dims)


def launch_strided(
    strided: tuple[ForLayouts, ...], output: Layout, source: Layout, *reversed_dims: tuple[int, ...]
) -> Callable[..., None] | None:
    """Return the first of these launches that is worthwhile; None if there is none, or if the source has no gaps."""
    for launches in () if source.is_contiguous else strided:
        launch = launches(output, source, *reversed_dims)
        if launch is not None:
            return launch
    return None


@lru_cache(maxsize=1024)
def launches_of_strided(source: int, target: int) -> tuple[ForLayouts, ...]:
    """Return the functions for `launch_strided` between two dtype codes: by tiles, and by short runs within a dtype."""
    size = dtype_of_code(target).itemsize
    form, between = find_form("copy", (source,), target), intermediate_dtype(source, target)
    found: tuple[ForLayouts, ...] = ()
    if form and len(form.loops) < 3 and (between == target or dtype_of_code(between).itemsize == BETWEEN):
        block = kernel_for("transpose_block", size)
        cast, narrow = (*form.loops, ffi.NULL)[:2]
        found = (
            shaped_launches(
                kernel_for("transposing_copy").address, "transposing_shape", "facula_transpose", 2,
                part=ffi.cast("void *", block.address), cost=block.cost, option=form.cost, cast=cast, round=narrow,
                flag=source != target, itemsize=dtype_of_code(source).itemsize, sizes=[0, size],
            ),
        )  # fmt: skip
    if source == target:
        moves = kernel_for("moves", size)
        found += (shaped_launches(moves.address, "runs_shape", "facula_moves", 2, cost=moves.cost, itemsize=size),)
    return found
