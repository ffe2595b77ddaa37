"""The names of records, bounded like the records: a program may use a new name in each step."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

RECENT = 4096  # the newest names are kept: a thread may be about to write a record with one of them


class Names:
    """Names and their numbers. Numbers are never used again; a name that was dropped gets a new one.

    Arguments:
        limit: the number of new names after which unused ones are dropped.
        used: returns the numbers that are in use.
        dropping: called with the numbers that are kept, when others are dropped.
    """

    def __init__(
        self, limit: int, used: Callable[[], Iterable[int]], dropping: Callable[[set[int]], object] | None = None
    ):  # fmt: skip
        self._numbers: dict[str, int] = {}
        self._count = 0
        self._limit = self._next = max(limit, RECENT)
        self._used, self._dropping = used, dropping
        self._lock = RLock()  # the collector may run code that names a range
        self._lasting: set[int] = set()

    def number_of(self, text: str, new: Callable[[str, int, str], object] | None = None) -> int:
        """Return the number of a name, after calling `new("name", number, text)` if the name is new."""
        number = self._numbers.get(text)
        if number is not None:
            return number
        with self._lock:
            number = self._numbers.setdefault(text, self._count)
            self._count = max(self._count, number + 1)
            if len(self._numbers) > self._next:
                self._drop()
        if new is not None:
            new("name", number, text)
        return number

    def keep(self, number: int) -> None:
        """Never drop the name of this number."""
        self._lasting.add(number)

    def _drop(self) -> None:
        kept = {*self._used(), *self._lasting}
        recent = self._count - RECENT
        self._numbers = {
            text: number for text, number in self._numbers.copy().items() if number >= recent or number in kept
        }  # fmt: skip
        self._next = len(self._numbers) + self._limit
        if self._dropping is not None:
            self._dropping(set(self._numbers.values()))

    def listed(self, numbers: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
        """Return all names, and the places in them of these numbers; -1 for those of names that were dropped."""
        with self._lock:
            known = dict(self._numbers)
        of_names = np.fromiter(known.values(), np.int64, len(known))  # in rising order
        places = np.searchsorted(of_names, numbers)
        found = np.append(of_names, -2)[places] == numbers  # -1: without a name
        return list(known), np.where(found, places, -1).astype(np.int32)
