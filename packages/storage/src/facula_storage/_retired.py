"""Blocks that were replaced and may still be read, and the moments at which they are looked at again.

Note [Replacing a buffer]
~~~~~~~~~~~~~~~~~~~~~~~~~
`resize_` and `share_memory_` give a storage another buffer while other threads may be inside an
operator that has read the old address. Operators read each address once, with no call between
the reading and the launch, so a thread either has the old address and is inside an operator's
frame, or will read the new one. Nobody asks on the hot path: the old block is retired here, with the
threads that `sys._current_frames()`, read under the GIL, shows inside a module that launches
(`launching_modules`). It is released when each of them has been seen outside since: one at a time is
enough, as in read-copy-update, so that many busy threads do not keep it for ever.

Note [Quiet moments]
~~~~~~~~~~~~~~~~~~~~
Retired blocks, and blocks that an allocator keeps idle beyond its bound, are looked at where that costs
the hot path nothing: when a layout's `take_block` had no block (`Layout.refill`; allocators let it have none
where a block is so large that filling it takes milliseconds), at the next replacement, and at the end of a
backward pass, every so many nodes (`release_idle_memory`). A refill may happen inside a launch that has read its
addresses already and wants a workspace. So a thread that looks counts as inside, too, where it is.
"""

from __future__ import annotations

import os
from threading import RLock, get_ident
from typing import TYPE_CHECKING

from ._bridge import threads_inside
from ._devices import connected

if TYPE_CHECKING:
    from collections.abc import Callable

# One lock for the rare things that replace a buffer or pin it down: re-entrant, since a finaliser that runs
# inside may come here again.
buffer_lock = RLock()
os.register_at_fork(after_in_child=buffer_lock._at_fork_reinit)  # type: ignore[attr-defined]

launching_modules: set[str] = set()
retired: list[tuple[Callable[[], object], set[int]]] = []


def retire(release: Callable[[], object]) -> None:
    """Keep a block until no other thread can be using it; under `buffer_lock`."""
    retired.append((release, threads_inside(launching_modules) - {get_ident()}))


def release_retired() -> int:
    """Release retired blocks that no thread can be using; how many are left."""
    with buffer_lock:
        if retired:
            inside = threads_inside(launching_modules)
            looked_at = retired[:]
            retired.clear()  # a finaliser may come here again: no block is looked at twice at a time
            for release, waiting in looked_at:
                waiting &= inside
                if waiting:
                    retired.append((release, waiting))
                else:
                    release()
        return len(retired)


def look_again() -> None:
    """`release_retired`, unless another thread is replacing a buffer: then it looks itself."""
    if buffer_lock.acquire(blocking=False):
        try:
            release_retired()
        finally:
            buffer_lock.release()


def release_idle_memory() -> None:
    """Release what was kept for others and is no longer needed, on all devices; see Note [Quiet moments].

    For a moment at which nobody waits for the next operator. Never raises for what it finds.
    """
    if retired:
        look_again()
    for backend in connected():
        backend.allocator.tidy()
