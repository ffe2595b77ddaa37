"""Shapes from arguments."""

from __future__ import annotations

from operator import methodcaller
from typing import Any

from facula_errors import InvalidTypeError

from .errors import named, shown

INTEGERS = frozenset((int,))  # the types of sizes that need no conversion
_index = methodcaller("__index__")


def sizes(operation: str, args: tuple[Any, ...], given: object = None, name: str = "size") -> tuple[int, ...]:
    """Return the shape passed as integers, as one tuple or list of them, or by keyword."""
    if given is not None:
        if args:
            raise named(
                InvalidTypeError(
                    f"{operation}: expected integers, or {name} by name; got both, {args} and {name}={given!r}"
                )
            )
        args = (given,)
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    try:
        return tuple(map(_index, args))
    except (AttributeError, TypeError):
        text = ", ".join([shown(arg) for arg in args]) + ("," if len(args) == 1 else "")
        raise named(InvalidTypeError(f"{operation}: expected integers, or one tuple of them; got ({text})")) from None
