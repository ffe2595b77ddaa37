"""Waits of the host for a device: their count, and what happens after them."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Called before a wait with the device and the stream (None: all of them, SOME_WORK: up to an event). Returns a
    #: function to call after the wait, or None.
    Listener = Callable[[int, int | None], Callable[[], None] | None]

SOME_WORK = -1

_lock = Lock()
_count = 0
_listeners: list[Listener] = []


def waits() -> int:
    """Return how often this process has waited for a device so far.

    Reading elements (`item`, `tolist`, printing), copies to the host, `synchronize`, and operators that run on the CPU
    wait. A training step without waits leaves the count unchanged.

    >>> before = waits()
    >>> waits() - before
    0
    """
    return _count


def on_wait(listener: Listener) -> Listener:
    """Decorate a function that takes part in all waits."""
    _listeners.append(listener)
    return listener


class waiting:
    """Context manager of a wait: counts it, and lets listeners raise the errors that it showed.

    Arguments:
        index: the device.
        stream: the handle of the stream, None for all streams, or SOME_WORK.
    """

    __slots__ = ("_after", "_index", "_stream")

    def __init__(self, index: int, stream: int | None):
        self._index, self._stream = index, stream

    def __enter__(self) -> None:
        global _count
        with _lock:
            _count += 1
        self._after = [listener(self._index, self._stream) for listener in _listeners]

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            for after in self._after:
                if after is not None:
                    after()


os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]
