"""All layouts: observers of their blocks, and the invalidation of caches that contain equal, different layouts.

The layout table is bounded (Note [Interning]), so a layout may be evicted and created again, while plans and views
still return the first object. Each call that mixes both takes the slow path, for the rest of the program. Slow calls
report such duplicates. After many reports, the tables of layouts and plans are cleared, along with all other caches of
layouts.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from facula_errors import OperationError

from ._block_observers import block_observers, observe_layout
from ._immutable import write
from ._layouts import forget_layouts, known_layouts
from ._plans import forget_plans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ._block_observers import BlockObserver
    from ._layouts import Layout

DUPLICATES_TO_CLEAR = 256  # slow calls of some 30 us each: rebuilding the tables takes less time than that

#: Functions that clear other packages' caches of layouts.
layout_cache_clearers: list[Callable[[], object]] = []
_duplicates = count(1).__next__


def note_duplicate_layout() -> None:
    """Record that a slow call received a layout that is not the one in the table."""
    if _duplicates() % DUPLICATES_TO_CLEAR == 0:
        clear_layout_caches()


def clear_layout_caches() -> None:
    """Clear all layouts and the caches that refer to them."""
    forget_layouts()
    forget_plans()
    for forget in tuple(layout_cache_clearers):
        forget()


def observe_blocks(observer: BlockObserver) -> None:
    """Let an observer see all blocks from now on (Note [Observed blocks]).

    Raises:
        RuntimeError: there is an observer already.
    """
    if block_observers:
        raise OperationError("observe_blocks: expected no other observer of blocks; got one; remove it first")
    block_observers.append(observer)
    for layout in known_layouts():
        observe_layout(layout)


def ignore_blocks(observer: BlockObserver, also: Iterable[Layout] = ()) -> None:
    """Remove an observer. Blocks that it has seen must still be released as before.

    Arguments:
        observer: the observer.
        also: layouts that it may have observed besides those of the tables.
    """
    if observer in block_observers:
        block_observers.remove(observer)
        for layout in (*known_layouts(), *also):
            write(layout, "take_block", observer.unwrap_take(layout.take_block))
