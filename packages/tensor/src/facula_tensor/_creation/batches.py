"""Random functions inside `vmap`: raise, draw once for all elements of a batch, or draw for each."""

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

#: The levels of all active `vmap` calls of any thread; random functions check first whether there are any.
open_batches: dict[Any, None] = {}


def drawing_levels() -> list[Any]:
    """Return the levels with different draws for each element, innermost last; raise if a level forbids draws."""
    levels = [level for level in levels_around() if level in open_batches]
    for level in levels:
        if level.randomness == "error":
            raise OperationError(
                "vmap: expected no random numbers in the function, since randomness is 'error'; use vmap(..., "
                "randomness='different') for draws of each element, or 'same' for one draw for all"
            )
    return [level for level in levels if level.randomness == "different"]


def reserved(count: int) -> int:
    """Return the number of generator values that a draw of `count` uses."""
    return count * prod([level.size for level in drawing_levels()])


def draw_batched(layout: Layout, draw: Callable[[Layout], Tensor]) -> Tensor:
    """Return a draw with this layout, batched if draws differ; `draw` draws for any layout."""
    levels = drawing_levels()
    drawn = draw(contiguous((*[level.size for level in levels], *layout.shape), layout.dtype, layout.device))
    for level in levels:
        drawn = level.make(drawn)
    return drawn


def for_each_draw(tensor: Tensor, levels: list[Any] | None = None) -> Tensor:
    """Return an operand of a draw, batched if draws differ."""
    levels = drawing_levels() if levels is None else levels
    if not levels:
        return tensor
    level: Any = levels[-1]
    found: Any = getattr(tensor._layout, "level", None)
    if found is level:
        return level.make(for_each_draw(level.value(tensor), levels[:-1]))
    # wrapped by an inner level, so this level is not dispatched to
    if found is not None and found.number > level.number:
        return tensor
    tensor = for_each_draw(tensor, levels[:-1])
    return level.make(recorded_ops.expand(recorded_ops.unsqueeze(tensor, 0), (level.size, *tensor.shape)))
