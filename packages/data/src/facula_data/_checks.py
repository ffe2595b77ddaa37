"""Checks of arguments; their errors name operation, argument, value and expectation."""

from __future__ import annotations

import operator

from facula_errors import InvalidIndexError, InvalidTypeError, InvalidValueError

from ._types import Index


def whole_number(operation: str, name: str, value: object, least: int) -> int:
    """Return `value` as an int of at least `least`; bool is not accepted."""
    if not isinstance(value, bool):
        try:
            number = operator.index(value)  # type: ignore[arg-type]  # asked here
        except TypeError:
            pass
        else:
            if number >= least:
                return number
    raise InvalidValueError(f"{operation}: expected {name} to be an integer of at least {least}; got {name}={value!r}")


def truth(operation: str, name: str, value: object) -> bool:
    """Return `value` if it is True or False; truthy values of other types are not accepted."""
    if not isinstance(value, bool):
        raise InvalidTypeError(f"{operation}: expected {name} to be True or False; got {name}={value!r}")
    return value


def position(operation: str, index: Index, length: int) -> int:
    """Return `index` counted from the front; a negative index counts from the back.

    Raises:
        IndexError: the index is out of range.
        TypeError: the index is not an integer.
    """
    try:
        index = operator.index(index)
    except TypeError:
        raise InvalidTypeError(f"{operation}: expected an integer as index; got {index!r}") from None
    if -length <= index < length:
        return index + length if index < 0 else index
    if not length:
        raise InvalidIndexError(f"{operation}: index {index} is out of range; there are no samples")
    raise InvalidIndexError(f"{operation}: expected an index from {-length} to {length - 1}; got {index}")


def has_length(value: object) -> bool:
    """Return whether `len(value)` succeeds."""
    try:
        len(value)  # type: ignore[arg-type]
    except (TypeError, NotImplementedError):
        return False
    return True
