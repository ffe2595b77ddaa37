"""What a program does after it ran out of memory: free what the failed call left, and try again.

Note [What a failed call holds]: an exception refers to the frames that it came through, and these to their variables:
whoever holds the error holds the tensors of the failed call. So they are let go before the next try: the variables of
frames that have ended are cleared, the errors that led to this one are taken off it, reference cycles are collected,
and idle memory goes back to the system and the devices. What the program was handling before the call stays as it is.
"""

from __future__ import annotations

import gc
import sys
from traceback import clear_frames
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._host.host_allocator import known_host_allocators
from ..drivers.protocol import DriverError
from .caching_allocator import known_caching_allocators

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

P = ParamSpec("P")
R = TypeVar("R")
Part = TypeVar("Part")
Part_co = TypeVar("Part_co", covariant=True)


class Batch(Protocol[Part_co]):
    """What has a length and can be sliced: a tensor, an array, a list, a range."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice, /) -> Part_co: ...


@boundary
def retry_after_oom(function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function, and once more if memory runs out, after freeing all that the failed call left.

    That is: the variables of its frames, reference cycles, and idle memory of every allocator here. For fragmented or
    idle memory that is enough; where memory is really in use, free some before the call, or see `smaller_batches`.
    The first call must have had no effect that the second would repeat.

    Arguments:
        function: what is called.
        args, kwargs: its arguments.

    Raises:
        MemoryError: the second call ran out of memory, too. All other errors pass through.

    >>> retry_after_oom(sum, [1, 2, 3])
    6
    """
    if not callable(function):
        raise InvalidTypeError(f"retry_after_oom: expected a function; got {function!r:.60}")
    handled = sys.exc_info()[1]
    try:
        return function(*args, **kwargs)
    except MemoryError as error:
        _release_failed_call(error, handled)
    return function(*args, **kwargs)


@boundary
def smaller_batches(
    step: Callable[[Part], R], items: Batch[Part], batch_size: int | None = None, smallest: int = 1
) -> Iterator[R]:
    """Call `step` with one slice of `items` after another, and halve the slices where memory runs out.

    The slice that failed is done again in halves, after freeing what the failed call left, as `retry_after_oom` does;
    later ones keep the smaller size. So `step` must have no effect before its memory is allocated, or none that is
    wrong when it is done again.

    Arguments:
        step: is called with a slice, as `items[0:64]`.
        items: a tensor, array or list, or a range for numbers alone.
        batch_size: the items of the first slice; all of them by default.
        smallest: where a slice of so many items fails, the error is raised.

    Returns:
        An iterator of what `step` returned.

    >>> def step(numbers):
    ...     if len(numbers) > 3:
    ...         raise MemoryError("too many at once")
    ...     return list(numbers)
    >>> list(smaller_batches(step, range(7)))
    [[0, 1, 2], [3, 4, 5], [6]]
    """
    if not callable(step):
        raise InvalidTypeError(f"smaller_batches: expected step, a function; got {step!r:.60}")
    if not (hasattr(items, "__len__") and hasattr(items, "__getitem__")):
        raise InvalidTypeError(f"smaller_batches: expected items with a length and slices; got {items!r:.60}")
    count = len(items)
    size = max(count, 1) if batch_size is None else batch_size
    for name, value in (("batch_size", size), ("smallest", smallest)):
        if type(value) is not int:
            raise InvalidTypeError(f"smaller_batches: expected {name}, an int; got {value!r:.60}")
        if value < 1:
            raise InvalidValueError(f"smaller_batches: expected {name} of at least 1; got {value}")
    return _batches(step, items, size, smallest)


@boundary
def _batches(step: Callable[[Part], R], items: Batch[Part], size: int, smallest: int) -> Iterator[R]:
    start = 0
    while start < len(items):
        handled = sys.exc_info()[1]
        try:
            result = step(items[start : start + size])
        except MemoryError as error:
            tried = min(size, len(items) - start)
            if tried <= smallest:
                raise
            _release_failed_call(error, handled)
            size = max(tried // 2, smallest)
            continue
        start += size
        yield result
        del result  # which is the caller's alone while the next step runs


def _release_failed_call(error: BaseException, handled: BaseException | None) -> None:
    """Free what a failed call left: see Note [What a failed call holds].

    Arguments:
        error: what it raised.
        handled: the error that was being handled when the call began; it stays as it is.
    """
    seen: set[int] = set() if handled is None else {id(handled)}
    pending: list[BaseException | None] = [error]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        pending += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            pending += one.exceptions
        clear_frames(one.__traceback__)
        one.__traceback__ = one.__context__ = one.__cause__ = None
    pending.clear()
    gc.collect()
    for host in known_host_allocators():
        host.trim()
    for caching in known_caching_allocators():
        try:
            caching.empty_cache()
        except DriverError:
            continue  # the next call says what it is
