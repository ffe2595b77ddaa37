"""Retired blocks: replaced buffers that other threads may still read, and their release.

Note [Replacing a buffer]
~~~~~~~~~~~~~~~~~~~~~~~~~
`resize_` and `share_memory_` replace the buffer of a storage while other threads may be inside an operator that has
read the old address. Operators read each address once, without a call between the read and the launch. A thread
therefore either has the old address and is inside an operator's frame, or will read the new one. The hot path performs
no check. Instead, the old block is retired here, with the set of threads that `sys._current_frames()`, called under the
GIL, shows inside a launching module (`launching_modules`). The block is released when each of these threads has been
seen outside since then. They need not be outside at the same time, as in read-copy-update, so many busy threads cannot
delay the release forever.

Note [Quiet moments]
~~~~~~~~~~~~~~~~~~~~
Retired blocks, and idle blocks beyond an allocator's limit, are checked when that does not slow the hot path: when a
layout's `take_block` had no block (`Layout.refill`; allocators force this for blocks so large that filling them takes
milliseconds), at the next replacement, and at the end of a backward pass, every certain number of nodes
(`release_idle_memory`). A refill may occur inside a launch that has already read its addresses and needs a workspace.
Therefore the checking thread also counts as inside, if it is.
"""

from __future__ import annotations

import os
from threading import RLock, get_ident
from typing import TYPE_CHECKING

from ._bridge import threads_inside
from ._devices import connected

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._protocols import DeviceBackend

# One lock for the rare operations that replace or pin a buffer. It is reentrant, because a finalizer that runs inside
# may call these functions again.
buffer_lock = RLock()
os.register_at_fork(after_in_child=buffer_lock._at_fork_reinit)  # type: ignore[attr-defined]

launching_modules: set[str] = set()  # modules that pass addresses of buffers to kernels
retired: list[tuple[Callable[[], object], set[int]]] = []


def retire(release: Callable[[], object]) -> None:
    """Keep a block until no other thread can be using it; call it with `buffer_lock` held."""
    retired.append((release, threads_inside(launching_modules) - {get_ident()}))


def release_retired() -> int:
    """Release retired blocks that no thread can be using; return the number of remaining ones."""
    with buffer_lock:
        if retired:
            inside = threads_inside(launching_modules)
            candidates = retired[:]
            retired.clear()  # a finalizer may call this function again: no block may be checked twice at the same time
            for release, waiting in candidates:
                waiting &= inside
                if waiting:
                    retired.append((release, waiting))
                else:
                    release()
        return len(retired)


def try_release_retired() -> None:
    """Call `release_retired`, unless another thread is replacing a buffer, which checks by itself."""
    if buffer_lock.acquire(blocking=False):
        try:
            release_retired()
        finally:
            buffer_lock.release()


def exchange_idle_memory(backend: DeviceBackend, nbytes: int) -> None:
    """Return about `nbytes` of idle memory to the system: before a large block is taken for good, so that the idle
    blocks of earlier work do not add to it, and after it is released, since no other request has its size.
    """
    found = backend.allocator.statistics()
    backend.allocator.trim(max(found["reserved_bytes"] - found["allocated_bytes"] - nbytes, 0))


def release_idle_memory() -> None:
    """Release retired blocks and excess idle memory on all devices; see Note [Quiet moments].

    Call it at a moment when no operator is waiting. Never raises.
    """
    if retired:
        try_release_retired()
    for backend in connected():
        backend.allocator.tidy()
