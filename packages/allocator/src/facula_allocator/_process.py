"""What the allocators follow of the process: garbage collections and forks.

Note [Blocks released during a collection]: when a cycle dies, the collector calls the finalisers of
its members in any order. The one that releases a block may run before a `__del__` of the user's that
still looks at the memory. So what was released since the collection began is neither handed out nor
given to the system before it ends. No list of it is kept, for a release must stay one append. Instead:

* while `collecting` is not empty, blocks come from a list of fresh ones (`SizeClass.spare`);
* whoever takes from a free list looks at `collecting` *afterwards*. Empty: whatever was taken was
  released before a collection that may begin now. Not empty: it goes back;
* regions that are released one by one (no pools) wait in C until the end.

A Ctrl-C can abort the callback before it does anything. Then one collection goes without protection,
or blocks come from the spare lists until the next collection ends: the list holds one entry at most,
so nothing adds up.
"""

from __future__ import annotations

import gc
import os
from threading import RLock
from typing import TYPE_CHECKING, Any
from weakref import ref

from ._regions import hold_releases

if TYPE_CHECKING:
    from collections.abc import Callable

collecting: list[None] = []  # not empty while the collector runs

# Held while a thread gives memory back: idle blocks are then out of reach, and who fails to find one
# waits. Re-entrant, for a signal handler may allocate. Held across a fork, so that no block is out
# of reach in the child, whose other threads are gone.
trimming = RLock()

_watched: list[ref[Any]] = []
_holding: list[None] = []  # not empty once an allocator without pools was made
_installed: dict[str, Callable] = {}


def watch(allocator: Any, releases_regions: bool) -> None:
    """Follow the collector from now on; after full collections, call `allocator.tidy()` while it lives."""
    if releases_regions and not _holding:
        _holding.append(None)
    _watched.append(ref(allocator, _watched.remove))
    callback = _callback()
    if _installed.setdefault("callback", callback) is callback:
        gc.callbacks.append(callback)
        os.register_at_fork(
            before=trimming.acquire, after_in_parent=trimming.release, after_in_child=trimming.release
        )


def _callback() -> Callable[[str, dict], None]:
    # Local names, since a collection at interpreter exit may come when this module's are gone.
    active, watched, holding, hold = collecting, _watched, _holding, hold_releases

    def on_collection(phase: str, info: dict) -> None:
        if phase == "start":
            if not active:
                active.append(None)
            if holding:
                hold(1)
            return
        active.clear()
        if holding:
            hold(0)
        if info["generation"] == 2:  # a quiet moment: nothing else takes as long
            for reference in watched[:]:
                allocator = reference()
                if allocator is not None:
                    allocator.tidy()

    return on_collection
