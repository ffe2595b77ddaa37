"""Forks wait for imports of the library in other threads.

A forked child has only the thread that forked. If another thread was importing a module, the child would wait forever
for the lock of that module, at its own first use of it. The library imports many modules at their first use, in any
thread.
"""

from __future__ import annotations

import importlib
import os
import time
from threading import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 10.0  # after that the process forks anyway: the import may wait for the forking thread

# Weak references to the locks, by module. A thread has the lock before the module is in `sys.modules`.
_locks: dict[str, Callable[[], object]] = getattr(importlib._bootstrap, "_module_locks", {})  # type: ignore[attr-defined]


def _imports_run() -> bool:
    """Return whether another thread imports a module of the library."""
    for name, reference in _locks.copy().items():
        owner = getattr(reference(), "owner", None) if name.startswith("facula") else None
        if owner is not None and owner != get_ident():
            return True
    return False


def _wait_for_imports() -> None:
    if _imports_run():
        deadline = time.monotonic() + SECONDS
        while _imports_run() and time.monotonic() < deadline:
            time.sleep(0.001)


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(before=_wait_for_imports)
