"""Invalidation of layout caches when they contain equal layouts that are different objects.

The layout table is bounded (Note [Interning]), so a layout may be evicted and created again, while plans and views
still return the first object. Each call that mixes both takes the slow path, for the rest of the program. Slow calls
report such duplicates. After many reports, the tables of layouts and plans are cleared, along with all other caches of
layouts.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from ._layouts import forget_layouts
from ._plans import forget_plans

if TYPE_CHECKING:
    from collections.abc import Callable

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
