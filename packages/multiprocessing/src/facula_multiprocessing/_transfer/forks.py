"""Release of blocks that forked children may read: when they are dropped here and all such children have ended.

Each forked child inherits the write end of a pipe, and passes it on to the children that it forks. This process sees
the end of the pipe when the last of them has ended.
"""

from __future__ import annotations

import os
import select
from collections import deque
from contextlib import suppress
from functools import partial
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Releasable(Protocol):
    """An object that is released by the callable in its `__del__`."""

    __del__: Callable[[], object]


class _Fork:
    """One fork: the read end of its pipe, and whether the child and all of its descendants have ended."""

    __slots__ = ("ended", "fd")

    def __init__(self, fd: int) -> None:
        self.fd, self.ended = fd, False


class Forks:
    """The forks of this process that inherited blocks, and the releases that wait for them."""

    def __init__(self) -> None:
        self._forks: list[_Fork] = []
        self._waiting: deque[tuple[Callable[[], object], tuple[_Fork, ...]]] = deque()
        self._ends: dict[int, int] = {}  # write ends of forks in progress, by thread
        self._settling = Lock()

    def before(self, blocks: Iterable[Releasable]) -> None:
        """Prepare a fork that inherits these blocks: each block, once dropped, waits for the child's end."""
        self.settle()
        seen = list(blocks)
        if not seen:
            return
        try:
            fd, self._ends[get_ident()] = os.pipe()
        except OSError:  # no descriptor is left: these blocks are never released
            for block in seen:
                block.__del__ = int
            return
        fork = _Fork(fd)
        self._forks.append(fork)
        for block in seen:
            release: Callable[[], object] = block.__del__
            earlier: tuple[_Fork, ...] = ()
            if isinstance(release, partial) and release.func == self._waiting.append:
                release, earlier = release.args[0]
            if release is not int:
                forks = (*(other for other in earlier if not other.ended), fork)
                block.__del__ = partial(self._waiting.append, (release, forks))

    def in_parent(self) -> None:
        """After the fork, close the write end, so that only the child has it."""
        end = self._ends.pop(get_ident(), None)
        if end is not None:
            os.close(end)

    def in_child(self) -> None:
        """After the fork, close the read ends in the child; its write end stays open as long as it lives."""
        for fork in self._forks:
            with suppress(OSError):
                os.close(fork.fd)

    def settle(self) -> None:
        """Release dropped blocks that wait for no living child."""
        if not (self._forks or self._waiting) or not self._settling.acquire(blocking=False):
            return  # there is no work, or another thread or an outer call of this thread is doing it
        try:
            self._settle()
        finally:
            self._settling.release()

    def _settle(self) -> None:
        if self._forks:
            watched = select.poll()
            for fork in self._forks:
                watched.register(fork.fd, 0)  # the end of the pipe is always reported
            ended = {fd for fd, _ in watched.poll(0)}
            for fork in [candidate for candidate in self._forks if candidate.fd in ended]:
                fork.ended = True
                self._forks.remove(fork)
                os.close(fork.fd)
        for _ in range(len(self._waiting)):
            release, forks = self._waiting.popleft()
            if all(fork.ended for fork in forks):
                release()
            else:
                self._waiting.append((release, forks))
