"""Numbers for several dimensions, such as height and width: the geometry of windows and filters."""

from __future__ import annotations

from typing import Any

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError

Pair = tuple[int, int]
_WORDS = {1: "an int", 2: "an int or two", 3: "an int or three"}


def is_integer(value: object) -> bool:
    """Return whether `value` is a Python or NumPy integer but not a bool."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def pair(operation: str, name: str, value: object, least: int) -> Pair:
    """Return a pair of numbers from one number for both dimensions, or one for each; errors name operation and
    argument.

    >>> pair("conv2d", "stride", 2, 1), pair("conv2d", "stride", (2, 3), 1)
    ((2, 2), (2, 3))
    """
    height, width = several(operation, name, value, 2, least)
    return height, width


def several(operation: str, name: str, value: object, count: int, least: int) -> tuple[int, ...]:
    """Return `count` numbers from one number for all dimensions, or one for each; errors name operation and argument.

    >>> several("conv3d", "stride", 2, 3, 1), several("conv3d", "stride", (2, 3, 4), 3, 1)
    ((2, 2, 2), (2, 3, 4))
    """
    if type(value) is int and value >= least:  # the usual cases
        return (value,) * count
    if type(value) is tuple and len(value) == count:
        for number in value:
            if type(number) is not int or number < least:
                break
        else:
            return value
    given = value if isinstance(value, (tuple, list)) else (value,)
    if not given:
        raise ArgumentError(f"{operation}: expected {name} to be {_WORDS[count]}; got {value!r}")
    if len(given) not in (1, count) or not all([is_integer(number) for number in given]):
        raise InvalidTypeError(f"{operation}: expected {name} to be {_WORDS[count]}; got {value!r}")
    numbers = tuple([int(number) for number in given])
    if min(numbers) < least:
        raise ArgumentError(f"{operation}: expected {name} of at least {least}; got {value!r}")
    return numbers if len(numbers) == count else numbers * count


class Shown(str):
    """Return the text of an unhashable value, which `pair` rejects with this text in its message."""

    __slots__ = ()
    __repr__ = str.__str__


def hashable(value: Any) -> Any:
    """Convert a list to a hashable tuple."""
    if type(value) is int:
        return value
    try:
        hash(value)
    except TypeError:
        return hashable(tuple(value)) if type(value) is list else Shown(f"{value!r:.60}")
    return value
