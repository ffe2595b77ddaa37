"""A lock that nobody waits for once the interpreter ends."""

from __future__ import annotations

import sys
from threading import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class ExitLock:
    """A re-entrant lock, for `with`, that is not taken once the interpreter ends.

    Then there is one thread; others stopped where they were, perhaps with the lock, and a finaliser that allocates
    would wait for them for ever. `__enter__` and `__exit__` are looked up before the lock is taken, and what is called
    is C: no Ctrl-C comes between taking the lock and the `with` block.
    """

    __slots__ = ("_taken", "acquire", "release")

    def __init__(self) -> None:
        lock = self._taken = RLock()
        self.acquire, self.release = lock.acquire, lock.release  # for forks

    @property
    def __enter__(self, ends: Callable[[], bool] = sys.is_finalizing) -> Callable[[], object]:
        return int if ends() else self._taken.__enter__

    @property
    def __exit__(self, ends: Callable[[], bool] = sys.is_finalizing) -> Callable[..., object]:
        return self._leave if ends() else self._taken.__exit__

    @staticmethod
    def _leave(*error: object) -> None:
        """Nothing was taken."""
