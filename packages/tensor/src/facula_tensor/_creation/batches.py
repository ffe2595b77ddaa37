"""What functions that draw do inside `vmap`: they refuse, draw once for all elements of a batch, or for each."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from facula_errors import OperationError
from facula_storage import Layout, contiguous

from .._core.tensor import Tensor
from .._core.wrapped import levels_around
from .._dispatch.namespaces import recorded_ops

if TYPE_CHECKING:
    from collections.abc import Callable

#: The level of each `vmap` that any thread is in: functions that draw look whether there are any before all else.
open_batches: dict[Any, None] = {}


def drawing_levels() -> list[Any]:
    """The levels for whose elements draws differ, the innermost last; an error where one allows none."""
    levels = [level for level in levels_around() if level in open_batches]
    for level in levels:
        if level.randomness == "error":
            raise OperationError(
                "vmap: expected no random numbers in the function, since randomness is 'error'; use vmap(..., "
                "randomness='different') for draws of each element, or 'same' for one draw for all"
            )
    return [level for level in levels if level.randomness == "different"]


def reserved(count: int) -> int:
    """How many numbers a draw of `count` takes of a generator."""
    return count * prod([level.size for level in drawing_levels()])


def draw_batched(layout: Layout, draw: Callable[[Layout], Tensor]) -> Tensor:
    """A draw of this layout, batched where draws differ: `draw` gives one of any layout."""
    levels = drawing_levels()
    drawn = draw(contiguous((*[level.size for level in levels], *layout.shape), layout.dtype, layout.device))
    for level in levels:
        drawn = level.make(drawn)
    return drawn


def for_each_draw(tensor: Tensor, levels: list[Any] | None = None) -> Tensor:
    """An operand of a draw, batched where draws differ."""
    levels = drawing_levels() if levels is None else levels
    if not levels:
        return tensor
    level: Any = levels[-1]
    found: Any = getattr(tensor._layout, "level", None)
    if found is level:
        return level.make(for_each_draw(level.value(tensor), levels[:-1]))
    if found is not None and found.number > level.number:  # wrapped further inside, where the level is not asked
        return tensor
    tensor = for_each_draw(tensor, levels[:-1])
    return level.make(recorded_ops.expand(recorded_ops.unsqueeze(tensor, 0), (level.size, *tensor.shape)))
