"""Memory: the blocks that tensors allocate and release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage.extend.memory import ignore_blocks, observe_blocks

from .. import _recorder
from .._trace.records import Signature

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_storage import Layout, Plan

    Block = tuple[int, Callable[[], object]]


class _Blocks:
    """An observer that writes records; see `facula_storage.extend.memory.observe_blocks`."""

    def wrap_take(self, take: Callable[[], Block], layout: Layout) -> Callable[[], Block]:
        return _recorder.wrap_take(take, layout.nbytes, _device(layout))

    def wrap_block(self, block: Block, layout: Layout) -> Block:
        return _recorder.wrap_block(block, layout.nbytes, _device(layout))

    def unwrap_take(self, take: Callable[[], Block]) -> Callable[[], Block]:
        return _recorder.unwrap_take(take)


def _device(layout: Layout) -> int:
    """Return the number of a device, -1 for the host."""
    return -1 if layout.device.type == "cpu" else layout.device.index or 0


def observe_memory(plans: Sequence[Plan | Signature], undo: list[Callable[[], object]]) -> None:
    """Start recording allocations and releases.

    Arguments:
        plans: plans, with layouts that the caller observes (`observe_layout`); the caller may add more until it stops.
        undo: receives the function that stops recording, before recording starts: Ctrl-C may interrupt the start.
    """
    observer = _Blocks()

    def ignore() -> None:
        of_plans = [plan for plan in plans if not isinstance(plan, Signature)]
        ignore_blocks(observer, [layout for plan in of_plans for layout in plan.outputs])

    undo.append(ignore)
    observe_blocks(observer)
