"""Checks of arguments that all function transforms share, for values of any type: `func`, `argnums`, `has_aux`."""

from __future__ import annotations

from typing import Any

from facula_errors import ArgumentError, InvalidTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Argnums = int | tuple[int, ...]


def check_callable(operation: str, func: object) -> None:
    """Raise TypeError unless `func` can be called."""
    if not callable(func):
        raise InvalidTypeError(f"{operation}: expected a function; got {type(func).__name__} {func!r:.60}")


def places_of(operation: str, argnums: Argnums, count: int) -> list[int]:
    """Return nonnegative indices of positional arguments; raise TypeError or ValueError if one is invalid.

    Arguments:
        operation: the prefix of the error message.
        argnums: the index of an argument, or a tuple of indices; negative ones count from the end.
        count: the number of positional arguments.
    """
    places = []
    for place in argnums if isinstance(argnums, tuple) else (argnums,):
        if not isinstance(place, int) or isinstance(place, bool):
            raise InvalidTypeError(f"{operation}: expected argnums to be an int or a tuple of ints; got {argnums!r}")
        if not -count <= place < count:
            raise ArgumentError(f"{operation}: expected argnums within {count} positional arguments; got {argnums!r}")
        places.append(place % count)
    if not places or len(set(places)) < len(places):
        raise ArgumentError(f"{operation}: expected argnums to name at least one argument, each once; got {argnums!r}")
    return places


def with_arguments(args: Sequence[Any], places: Sequence[int], values: Sequence[Any]) -> list[Any]:
    """Return the positional arguments, with some replaced.

    Arguments:
        args: the arguments.
        places: the indices of those to replace.
        values: their replacements, in the same order.
    """
    given = list(args)
    for place, value in zip(places, values, strict=True):
        given[place] = value
    return given


def per_argument(argnums: Argnums, parts: Sequence[Any]) -> Any:
    """Return one part for each of `argnums`: a tuple if `argnums` is a tuple."""
    return tuple(parts) if isinstance(argnums, tuple) else parts[0]


def pair_of(operation: str, found: Any) -> tuple[Any, Any]:
    """Return the pair that a function returned with `has_aux`; raise TypeError if it is not a pair."""
    if not isinstance(found, tuple) or len(found) != 2:
        got = f"a tuple of {len(found)}" if isinstance(found, tuple) else f"{type(found).__name__} {found!r:.60}"
        raise InvalidTypeError(f"{operation}: expected the function to return (output, aux), with has_aux; got {got}")
    return found
