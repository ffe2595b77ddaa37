"""The count of host synchronizations."""

from __future__ import annotations

import os
from threading import Lock

_lock = Lock()
_count = 0


def waits() -> int:
    """Return how often this process has waited for a device so far.

    Reading elements (`item`, `tolist`, printing), copies to the host, `synchronize`, and operators that run on the CPU
    wait. A training step that waits for nothing leaves the count unchanged.

    >>> before = waits()
    >>> waits() - before
    0
    """
    return _count


def count_wait() -> None:
    """Count one synchronization."""
    global _count
    with _lock:
        _count += 1


os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]
