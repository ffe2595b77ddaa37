"""What the allocators follow of the process: garbage collections and forks.

Note [Blocks released during a collection]: when a cycle dies, the collector calls the finalisers of
its members in any order. The one that releases a block may run before a `__del__` of the user's that
still looks at the memory. So what was released since the collection began is neither handed out nor
given to the system before it ends. No list of it is kept, for a release must stay one append. Instead:

* while `collecting` is not empty, blocks come from a list of fresh ones (`SizeClass.spare`);
* whoever takes from a free list looks at `collecting` *afterwards*. Empty: whatever was taken was
  released before a collection that may begin now. Not empty: it goes back;
* regions that are released one by one (no pools) wait in C until the end.

Note [No Python in the collector's callbacks]: a Ctrl-C that comes during a collection is raised in
the first Python function that runs after it. Were that a callback of the collector's, the
KeyboardInterrupt would be printed and lost, and full collections are long. So the callback is made
of C callables: `setattr(collecting, phase, info)`, where assigning `start` adds the keys of `info` to
the set and assigning `stop` takes them out.
"""

from __future__ import annotations

import gc
import os
from functools import partial
from typing import TYPE_CHECKING

from .._locks import ExitLock
from .regions import hold_releases

if TYPE_CHECKING:
    from collections.abc import Callable


class _Collecting(set[str]):
    """Not empty while the collector runs; see Note [No Python in the collector's callbacks]."""

    start = property(None, set.update)
    stop = property(None, set.difference_update)


collecting = _Collecting()

# Held while a thread gives memory back: idle blocks are then out of reach, and who fails to find one
# waits. Re-entrant, for a signal handler may allocate. Held across a fork, so that no block is out
# of reach in the child, whose other threads are gone.
trimming = ExitLock()

_installed: dict[str, Callable[[str, dict[str, int]], None]] = {}


def watch(releases_regions: bool) -> None:
    """Follow the process from now on; `releases_regions`: hold them during collections."""
    callback = partial(setattr, collecting)
    if _installed.setdefault("collecting", callback) is callback:
        gc.callbacks.append(callback)
        os.register_at_fork(before=trimming.acquire, after_in_parent=trimming.release, after_in_child=trimming.release)
    if releases_regions:
        holder = _holder()
        if _installed.setdefault("holder", holder) is holder:
            gc.callbacks.append(holder)


def _holder() -> Callable[[str, dict[str, int]], None]:
    """Python code after all: it serves debugging, where a lost Ctrl-C is bearable."""
    hold = hold_releases  # a local name, since at interpreter exit this module's are gone before the last collection

    def on_collection(phase: str, info: dict[str, int]) -> None:
        hold(phase == "start")

    return on_collection
