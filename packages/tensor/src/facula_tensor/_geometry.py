"""Numbers that come in pairs, for height and width: how windows and filters are moved over images."""

from __future__ import annotations

from typing import Any

import numpy as np

from facula_errors import InvalidTypeError

from ._errors import ArgumentError

Pair = tuple[int, int]


def is_integer(value: Any) -> bool:
    """Whether `value` is an integer, Python's or NumPy's, and no bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def pair(operation: str, name: str, value: Any, least: int) -> Pair:
    """One number for both dimensions, or one for each; errors name operation and argument.

    >>> pair("conv2d", "stride", 2, 1), pair("conv2d", "stride", (2, 3), 1)
    ((2, 2), (2, 3))
    """
    both = value if isinstance(value, (tuple, list)) else (value,)
    if len(both) not in (1, 2) or not all(is_integer(one) for one in both):
        raise InvalidTypeError(f"{operation}: expected {name} to be an int or two; got {value!r}")
    height, width = int(both[0]), int(both[-1])
    if min(height, width) < least:
        raise ArgumentError(f"{operation}: expected {name} of at least {least}; got {value!r}")
    return height, width


class Shown(str):
    """The text of a value that cannot be looked up by: it is refused by `pair`, which shows it."""

    __slots__ = ()
    __repr__ = str.__str__


def hashable(value: Any) -> Any:
    """A list as a tuple, to be looked up by."""
    if type(value) is int:
        return value
    try:
        hash(value)
    except TypeError:
        return hashable(tuple(value)) if type(value) is list else Shown(f"{value!r:.60}")
    return value
