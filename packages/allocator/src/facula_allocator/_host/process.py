"""Process-wide events that affect the allocators: garbage collections and forks.

Note [Blocks released during a collection]: when a cycle dies, the collector calls the finalisers of its members in any
order. A finaliser that releases a block may run before a user's `__del__` that still reads the memory. Memory released
since the collection began must therefore neither be reused nor returned to the system before the collection ends. The
allocator keeps no list of these blocks, since a release must remain a single append. Instead:

* While `collecting` is not empty, blocks come from a list of fresh ones (`SizeClass.spare`).
* Code that takes a block from a free list checks `collecting` *afterwards*. If it is empty, the block was released
  before any collection that may begin now. If it is not empty, the block is put back.
* Regions that are released one by one (no pools) wait in C until the collection ends.

Note [No Python in the collector's callbacks]: a Ctrl-C that arrives during a collection is raised in the first Python
function that runs after it. If that function were a callback of the collector, the interpreter would print and discard
the KeyboardInterrupt, and full collections are long. The callback is therefore made of C callables:
`setattr(collecting, phase, info)`, where assigning `start` adds the keys of `info` to the set and assigning `stop`
removes them.
"""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from .._locks import ExitLock
from .regions import hold_releases

if TYPE_CHECKING:
    from collections.abc import Callable


# A thread that finds no memory while another collects waits this often and long for the collection to end.
MAX_RETRIES, COLLECTION_PAUSE = 16, 0.01  # seconds


class _Collecting(set[str]):
    """A set that is not empty while the collector runs; see Note [No Python in the collector's callbacks]."""

    start = property(None, set.update)
    stop = property(None, set.difference_update)


collecting = _Collecting()

# Held while a thread releases memory to the system. Idle blocks are then unavailable, and a thread that finds none
# waits. Re-entrant, since a signal handler may allocate. Held across a fork, so that all blocks are available in the
# child, where the other threads no longer exist.
trimming = ExitLock()

_installed: dict[str, Callable[[str, dict[str, int]], None]] = {}


def watch(releases_regions: bool) -> None:
    """Register the process's callbacks; `releases_regions` makes them defer released regions during collections."""
    callback = partial(setattr, collecting)
    if _installed.setdefault("collecting", callback) is callback:
        gc.callbacks.append(callback)
        os.register_at_fork(before=trimming.acquire, after_in_parent=_after_fork, after_in_child=trimming.reset)
    if releases_regions:
        holder = _release_holder()
        if _installed.setdefault("holder", holder) is holder:
            gc.callbacks.append(holder)


def _after_fork() -> None:
    with suppress(RuntimeError):  # registered during the fork, by another thread, and so not acquired before
        trimming.release()


def _release_holder() -> Callable[[str, dict[str, int]], None]:
    """Return a callback in Python: it serves only debugging, where a lost Ctrl-C is acceptable."""
    hold = hold_releases  # a local name: at interpreter exit the module's globals are gone before the last collection

    def on_collection(phase: str, info: dict[str, int]) -> None:
        hold(phase == "start")

    return on_collection
