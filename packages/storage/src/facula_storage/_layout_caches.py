"""What to do about equal layouts that are two objects: forget all that remembers layouts, once they are many.

The layout table is bounded (Note [Interning]), so a layout may be dropped there and made again, while plans and views
go on giving the first. Every call on both is a slow one then, as long as the program runs. Slow calls tell of such
twins; when that has happened often, the tables of layouts and of plans start afresh, with whatever else remembers
layouts.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from ._layouts import forget_layouts
from ._plans import forget_plans

if TYPE_CHECKING:
    from collections.abc import Callable

DUPLICATES_TO_CLEAR = (
    256  # slow calls, of some 30 us each: what was forgotten is made again in less time than they took
)

#: Functions that forget layouts which other packages keep.
layout_cache_clearers: list[Callable[[], object]] = []
_twins = count(1).__next__


def note_duplicate_layout() -> None:
    """A slow call has met a layout that is not the one in the table."""
    if _twins() % DUPLICATES_TO_CLEAR == 0:
        clear_layout_caches()


def clear_layout_caches() -> None:
    """Forget all layouts, and whatever remembers them."""
    forget_layouts()
    forget_plans()
    for forget in tuple(layout_cache_clearers):
        forget()
