"""Lazily computed orders: an epoch of any length uses the memory of one block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import overload

import numpy as np
from numpy.typing import DTypeLike

from facula_errors import InvalidValueError

from .._types import Source

BLOCK = 1 << 14  # draws per block


class BlockOrder:
    """A sequence of int64 indices of which one block is in memory at a time; slices are arrays.

    Arguments:
        length: the number of indices.
        block: the number of indices in a block; the last block may contain surplus indices.
        make: returns a block by its number, the same at each call.

    >>> order = BlockOrder(5, 2, lambda number: np.array([10, 11]) + 10 * number)
    >>> order[1:4], order[-1], list(order)
    (array([11, 20, 21]), 30, [10, 11, 20, 21, 30])
    """

    __slots__ = ("_block", "_length", "_make", "_newest")

    def __init__(self, length: int, block: int, make: Callable[[int], np.ndarray]) -> None:
        self._length, self._block, self._make = length, block, make
        self._newest: tuple[int, np.ndarray] | None = None

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> np.ndarray: ...
    def __getitem__(self, place: int | slice) -> int | np.ndarray:
        places = range(self._length)[place]
        if isinstance(places, int):
            return int(self._read(places, places + 1)[0])
        if not places:
            return np.empty(0, dtype=np.int64)
        first, last = sorted((places[0], places[-1]))
        return self._read(first, last + 1)[:: places.step]

    def __iter__(self) -> Iterator[int]:
        return indices_from(self, 0)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise InvalidValueError(
                "order: expected copy to be None or True; got False; indices are made as they are read"
            )
        return np.array(self[:], dtype=dtype)

    def tolist(self) -> list[int]:
        """Return all indices as Python integers."""
        return self[:].tolist()

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self[:6].tolist()))
        return f"BlockOrder([{shown}{', …' if self._length > 6 else ''}], {self._length} indices)"

    def _read(self, start: int, stop: int) -> np.ndarray:
        block = self._block
        parts = []
        for number in range(start // block, -(-stop // block)):
            origin = number * block
            parts.append(self._made(number)[max(start - origin, 0) : min(stop - origin, block)])
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _made(self, number: int) -> np.ndarray:
        newest = self._newest
        if newest is None or newest[0] != number:
            made = self._make(number)
            made.flags.writeable = False  # slices are views of it
            newest = self._newest = number, made
        return newest[1]


def indices_from(order: Source, start: int) -> Iterator[int]:
    """Iterate over the indices of an order from `start` on, as Python integers if slices are arrays."""
    if not isinstance(order, (np.ndarray, BlockOrder)):
        return islice(iter(order), start, None) if not isinstance(order, range) else iter(order[start:])
    blocks = (order[first : first + BLOCK].tolist() for first in range(start, len(order), BLOCK))
    return (index for block in blocks for index in block)
