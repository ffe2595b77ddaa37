"""`allow`: exempt functions and objects from guards."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .constant_values import allowed

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")


@boundary
def allow(value: T) -> T:
    """Let captured functions use a function, type or object whose state cannot be compared before a replay.

    All captures treat it as constant: its results are computed, and its effects occur, once during the capture and
    never in replays. `capture(..., allow=[...])` does the same for one function.

    Arguments:
        value: a function (this can be used as a decorator), a type, which includes its instances, or an object.

    Returns:
        The same value.

    >>> from facula_tensor import ones
    >>> from facula_jit import allow, capture
    >>> import time
    >>> @allow
    ... def started():
    ...     return time.time()
    >>> stamped = capture(lambda x: x * 0 + started())
    >>> stamped(ones(1)).item() == stamped(ones(1)).item()
    True
    """
    check_allowed([value], "allow")
    for function in (value, getattr(value, "__code__", None)):
        if function is not None:
            allowed[id(function)] = function
    return value


def check_allowed(values: Iterable[object], name: str = "capture") -> tuple[object, ...]:
    """Return the argument of `allow` as a tuple; raise TypeError unless it is an iterable of non-string objects.

    Arguments:
        values: the argument.
        name: the name of the caller, for error messages.
    """
    wanted = f"{name}: expected functions, types and objects that captures may read"
    if isinstance(values, str) or not hasattr(type(values), "__iter__"):
        raise InvalidTypeError(f"{wanted}, in a list; got {values!r:.60}; write allow=[...]")
    found = tuple(values)
    for function in found:
        if isinstance(function, str):
            raise InvalidTypeError(f"{wanted}; got the string {function!r:.60}; give the function or object itself")
    return found
