"""`allow`: functions and objects that captures may read without comparing their state."""

from __future__ import annotations

from typing import TypeVar

from facula_errors.extend import boundary

from .known import allowed

T = TypeVar("T")


@boundary
def allow(value: T) -> T:
    """Let captured functions use a function, type or object whose state cannot be compared before a replay.

    It counts as constant in all captures: what a call returns, prints or changes happens once, when the function that
    calls it is captured, and not in replays. `capture(..., allow=[...])` does so for one function.

    Arguments:
        value: a function (also as a decorator), a type, whose instances are meant too, or an object.

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
    for one in (value, getattr(value, "__code__", None)):
        if one is not None:
            allowed[id(one)] = one
    return value
