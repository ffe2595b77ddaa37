"""Costs of collectives, by line of the program. C adds to them at the end of each call."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from .._shm import ffi


class Key(NamedTuple):
    """The calls that are added up.

    Fields:
        operation: the collective.
        line: the file and the line of the program.
        is_async: whether they ran in the background.
    """

    operation: str
    line: bytes
    is_async: bool


class Costs(NamedTuple):
    """Costs of one key. C adds to them while there are references to this object.

    Fields:
        totals: a `Totals` of csrc/shm.h.
        waits: the array that it refers to.
    """

    totals: Any
    waits: Any

    def add_wait(self, rank: int, seconds: float) -> None:
        """Add a call that only waited for a rank."""
        self.totals.calls += 1
        self.totals.seconds += seconds
        self.totals.waited += seconds
        self.waits[rank] += seconds


class Ledger:
    """Costs by key, of one group.

    Arguments:
        size: the number of ranks.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._begin()

    def _begin(self) -> None:
        self.since = time.monotonic()
        self._costs = dict[tuple[str, bytes, bool], Costs]()
        self.find = self._costs.get  # for each call of a collective; `costs_of` if it returns None

    def costs_of(self, operation: str, line: bytes, is_async: bool) -> Costs:
        """Return the costs of a key."""
        key = operation, line, is_async
        found = self._costs.get(key)
        if found is None:
            waits, totals = ffi.new("double[]", self._size), ffi.new("Totals *")
            totals.waits = waits
            found = self._costs.setdefault(key, Costs(totals, waits))
        return found

    def take(self) -> list[tuple[Key, Costs]]:
        """Return each key with its costs, and begin again. Calls that are running are not counted."""
        former = self._costs
        self._begin()
        return [(Key(*key), costs) for key, costs in former.items() if costs.totals.calls or costs.totals.blocked]
