"""The planner of cat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import Plan

from ..launches import MAX_BLOCKS, TABLE_WORDS, Kernel, bind_join
from ..registry import planner

if TYPE_CHECKING:
    from facula_storage import Layout


@planner("cat")
def plan_cat(
    operator: str, inputs: tuple[Any, ...], outputs: tuple[Layout, ...], parameters: tuple[Any, ...]
) -> Plan | None:
    """Plan concatenation of contiguous arrays of any shapes: launch(n, outer, parts, ..., output address).

    The arguments in between are each part's address, and its number of bytes in each of the `outer` steps.
    """
    fields = ["char *o;", *(f"int64_t {name};" for name in ("outer", "row", "start", "width", "unit", "arrays"))]
    fields.append(f"int64_t array[{TABLE_WORDS - len(fields)}];")
    kernel = Kernel("cat", "join_arrays(p);", MAX_BLOCKS)
    launch = bind_join(["join"], fields, kernel, outputs[0].device.index or 0)
    return Plan(operator, parameters, outputs, launch, any_size=True)
