"""A lock that never blocks once the interpreter has begun to exit."""

from __future__ import annotations

import sys
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class ExitLock:
    """A re-entrant lock, for `with`, that becomes a no-op once the interpreter exits.

    At that point only one thread runs. The others were stopped where they were, perhaps while they held the lock, and a
    finaliser that allocates would wait for them forever. `with` looks up `__enter__` and `__exit__` before it acquires
    the lock, and both are C callables: no Ctrl-C can arrive between acquiring the lock and entering the `with` block.
    """

    __slots__ = ("_taken", "acquire", "release", "reset")

    def __init__(self) -> None:
        lock = self._taken = RLock()
        self.acquire, self.release = lock.acquire, lock.release  # for forks
        self.reset = lock._at_fork_reinit  # type: ignore[attr-defined]

    @property
    def __enter__(self, ends: Callable[[], bool] = sys.is_finalizing) -> Callable[[], object]:
        return int if ends() else self._taken.__enter__

    @property
    def __exit__(self, ends: Callable[[], bool] = sys.is_finalizing) -> Callable[..., object]:
        return self._leave if ends() else self._taken.__exit__

    @staticmethod
    def _leave(*error: object) -> None:
        """Leave the lock alone: it was not acquired."""
