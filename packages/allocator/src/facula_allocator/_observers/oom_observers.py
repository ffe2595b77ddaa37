"""Out-of-memory observers: callbacks that may free memory before the error is raised."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Generic, TypeVar

from facula_errors import InvalidTypeError, InvalidValueError

from .._errors import OutOfMemoryError

if TYPE_CHECKING:
    from collections.abc import Callable

A = TypeVar("A")
B = TypeVar("B")


class OomObservers(Generic[A]):
    """The out-of-memory observers of an allocator of type `A`. Allocations inside an observer do not call observers."""

    __slots__ = ("_busy", "_observers")

    def __init__(self) -> None:
        self._observers: list[Callable[[OutOfMemoryError, A], object]] = []
        self._busy: set[int] = set()  # threads inside an observer, or inside the second attempt

    def add(self, observer: Callable[[OutOfMemoryError, A], object]) -> None:
        """Add `observer`."""
        if not callable(observer):
            raise InvalidTypeError(f"add_oom_observer: expected observer, a function; got {observer!r:.60}")
        self._observers.append(observer)

    def remove(self, observer: Callable[[OutOfMemoryError, A], object]) -> None:
        """Remove `observer`."""
        if observer not in self._observers:
            raise InvalidValueError(f"remove_oom_observer: expected one that was added; got {observer!r:.60}")
        self._observers.remove(observer)

    def retry_after_observers(self, error: OutOfMemoryError, allocator: A, attempt: Callable[[], B]) -> B:
        """Call all observers. Retry once if one returns True; otherwise raise the error.

        Arguments:
            error: the error to raise.
            allocator: the allocator that ran out of memory.
            attempt: the retry. It may raise another OutOfMemoryError, which then receives the notes of the first.
        """
        error.__suppress_context__ = True  # hides the IndexError of the caller's search for an idle block
        thread = get_ident()
        if not self._observers or thread in self._busy:
            raise error
        self._busy.add(thread)
        try:
            if not any([self._frees_memory(observer, error, allocator) for observer in list(self._observers)]):
                raise error
            try:
                return attempt()
            except OutOfMemoryError as again:
                for note in getattr(error, "__notes__", ()):
                    again.add_note(note)
                raise
        finally:
            self._busy.discard(thread)

    def _frees_memory(
        self, observer: Callable[[OutOfMemoryError, A], object], error: OutOfMemoryError, allocator: A
    ) -> bool:
        try:
            return observer(error, allocator) is True
        except Exception as failure:
            name = getattr(observer, "__qualname__", type(observer).__name__)
            error.add_note(f"The observer {name} failed: {type(failure).__name__}: {failure!s:.200}")
            return False
