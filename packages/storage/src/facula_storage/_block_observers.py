"""Observers of blocks: they see each allocation and release of tensors' memory.

Note [Observed blocks]
~~~~~~~~~~~~~~~~~~~~~~
A profiler observes each block without a test on the hot path: while there is an observer, layouts have its
`take_block`, a function around the original one. Layouts that no table contains any more, but that tensors still have,
keep theirs: the blocks that they take are not observed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from ._immutable import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Block: TypeAlias = tuple[int, Callable[[], object]]


class BlockObserver(Protocol):
    """An observer of allocations and releases. Layouts have the type of a higher module."""

    def wrap_take(self, take: Callable[[], Block], layout: Any) -> Callable[[], Block]:
        """Return a C function with the result and errors of `take`, whose blocks are observed."""

    def wrap_block(self, block: Block, layout: Any) -> Block:
        """Observe a block that was allocated, and return it with a release that is observed."""

    def unwrap_take(self, take: Callable[[], Block]) -> Callable[[], Block]:
        """Return the function inside one of `wrap_take`; other functions are returned unchanged."""


block_observers: list[BlockObserver] = []  # none, or one


def observe_layout(layout: Any) -> None:
    """Let the observer of blocks, if there is one, see those of a layout."""
    if block_observers:
        observer = block_observers[0]
        write(layout, "take_block", observer.wrap_take(observer.unwrap_take(layout.take_block), layout))
