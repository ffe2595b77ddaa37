"""Ranges of threads, from their beginning to their end, which may come while the recording is paused."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import _recorder


class Ranges:
    """The open ranges of a recording.

    Arguments:
        recorder: receives ranges when they end.
        now: returns the time.
    """

    def __init__(self, recorder: _recorder.Recorder, now: Callable[[], int]):
        self._recorder, self._now = recorder, now
        self._open: dict[int, tuple[int, int, int, int]] = {}  # by token: kind, name, start, lane
        self._next = count().__next__
        self.paused_at: int | None = None
        self._ended: list[tuple[int, int, int, int, int]] = []  # in the pause: the same, with their ends

    def begin(self, kind: int, name: int) -> int:
        """Begin a range of the calling thread; return the token that ends it."""
        token = self._next()
        self._open[token] = (kind, name, self._now(), self._recorder.lane())
        return token

    def end(self, token: int) -> None:
        """End a range. It has no effect after `end_all`."""
        opened = self._open.pop(token, None)
        if opened is None:
            return
        kind, name, start, lane = opened
        if self.paused_at is None:
            self._recorder.event(kind, name, start, self._now(), lane, -1, 0, -1, -1, -1)
        elif start < self.paused_at:
            self._ended.append((kind, name, start, lane, self._now()))

    def end_all(self) -> None:
        """End all open ranges."""
        for token in list(self._open):
            self.end(token)

    def pause(self) -> None:
        """Keep the ranges that end from now on, if they began before, until `resume`."""
        if self.paused_at is None:
            self.paused_at = self._now()

    def resume(self) -> None:
        """Record ranges again, and those that ended in the pause."""
        self.paused_at, ended, self._ended = None, self._ended, []
        for kind, name, start, lane, end in ended:
            self._recorder.event(kind, name, start, end, lane, -1, 0, -1, -1, -1)

    def names(self) -> list[int]:
        """Return the numbers of the names in use."""
        return [name for _, name, *_ in [*list(self._open.values()), *self._ended]]
