"""How far objects are that move on by being used: iterators, random generators, queues."""

from __future__ import annotations

import random
import sys
from collections import deque
from collections.abc import Container, Iterator
from ctypes import string_at
from io import IOBase
from operator import length_hint
from pickle import dumps
from typing import Any

from ._contents import MOST_ENTRIES

TWISTER = 625 * 4  # bytes of the state of a Mersenne twister
SHIFTING = (set, deque)  # what is looked into


class Positions:
    """Where those among some values are, with Python's and NumPy's own random generators.

    Arguments:
        values: the values.
    """

    def __init__(self, values: list[Any]):
        numpy = sys.modules.get("numpy.random")
        generators = [getattr(random, "_inst", None), getattr(getattr(numpy, "mtrand", None), "_rand", None)]
        self._before = [(one, _position(one)) for one in values + generators if _moves(one)]

    def moved(self) -> Any:
        """The first object that is not where it was; None if all are."""
        return next((one for one, before in self._before if _position(one) != before), None)

    def of_replays(self, reached: Container[int]) -> Positions | None:
        """Those that must be where they were whenever the function is replayed; None if there are none.

        Arguments:
            reached: the ids of what the function may come to.
        """
        self._before = [pair for pair in self._before if isinstance(pair[0], SHIFTING) and id(pair[0]) in reached]
        return self if self._before else None


def _moves(value: Any) -> bool:
    if isinstance(value, Iterator):
        return not isinstance(value, IOBase)
    return isinstance(value, (*SHIFTING, random.Random)) or type(value).__module__.startswith("numpy.random")


def _position(value: Any) -> Any:
    """What differs once the object was used; of an iterator that cannot be asked it differs always."""
    if isinstance(value, Iterator):
        left = length_hint(value, -1)
        return left if left >= 0 else object()
    if isinstance(value, SHIFTING):
        return (len(value), [id(one) for one in value]) if len(value) <= MOST_ENTRIES else len(value)
    if isinstance(value, random.Random):
        return value.getstate()
    bits = getattr(value, "bit_generator", None) or getattr(value, "_bit_generator", value)
    if type(bits).__name__ == "MT19937":  # NumPy's own, of whose numbers `state` makes an array one by one
        return string_at(bits.ctypes.state_address, TWISTER)
    return dumps(getattr(bits, "state", None))  # there may be arrays in it, which have no equality
