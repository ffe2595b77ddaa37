"""Functions that are told that memory ran out, and that may free some before the error is raised."""

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
    """The observers of an allocator of type `A`. Not asked about what an observer itself allocates."""

    __slots__ = ("_busy", "_observers")

    def __init__(self) -> None:
        self._observers: list[Callable[[OutOfMemoryError, A], object]] = []
        self._busy: set[int] = set()  # threads inside an observer, or trying once more

    def add(self, observer: Callable[[OutOfMemoryError, A], object]) -> None:
        """Ask `observer`, too."""
        if not callable(observer):
            raise InvalidTypeError(f"add_oom_observer: expected observer, a function; got {observer!r:.60}")
        self._observers.append(observer)

    def remove(self, observer: Callable[[OutOfMemoryError, A], object]) -> None:
        """Ask `observer` no more."""
        if observer not in self._observers:
            raise InvalidValueError(f"remove_oom_observer: expected one that was added; got {observer!r:.60}")
        self._observers.remove(observer)

    def second_try(self, error: OutOfMemoryError, allocator: A, attempt: Callable[[], B]) -> B:
        """Ask all observers, and try once more if one says True; otherwise raise the error.

        Arguments:
            error: what would be raised.
            allocator: whose memory it is.
            attempt: what is tried; it may raise an OutOfMemoryError of its own, which gets the notes of the first.
        """
        error.__suppress_context__ = True  # the caller's look for an idle block
        thread = get_ident()
        if not self._observers or thread in self._busy:
            raise error
        self._busy.add(thread)
        try:
            if not any([self._says_true(observer, error, allocator) for observer in list(self._observers)]):
                raise error
            try:
                return attempt()
            except OutOfMemoryError as again:
                for note in getattr(error, "__notes__", ()):
                    again.add_note(note)
                raise
        finally:
            self._busy.discard(thread)

    def _says_true(
        self, observer: Callable[[OutOfMemoryError, A], object], error: OutOfMemoryError, allocator: A
    ) -> bool:
        try:
            return observer(error, allocator) is True
        except Exception as failure:
            name = getattr(observer, "__qualname__", type(observer).__name__)
            error.add_note(f"The observer {name} failed: {type(failure).__name__}: {failure!s:.200}")
            return False
