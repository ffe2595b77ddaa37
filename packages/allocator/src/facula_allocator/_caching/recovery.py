"""Recovery after an out-of-memory error: release the memory of the failed call, and retry.

Note [What a failed call holds]: an exception refers to the frames that it passed through, and these to their variables:
an error that is kept alive keeps the failed call's tensors alive. Before the next attempt, therefore, the variables of
frames that have ended are cleared, the exceptions that led to this one are detached, reference cycles are collected,
and idle memory is released to the system and the devices. An exception that the program was already handling before
the call stays unchanged.
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
    """An object with a length that can be sliced: a tensor, an array, a list, a range."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: slice, /) -> Part_co: ...


@boundary
def retry_after_oom(function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function, and retry once if memory runs out, after releasing the memory of the failed call.

    This clears the variables of its frames, collects reference cycles, and releases the idle memory of every allocator
    of this package. That is enough for fragmented or idle memory. If the memory is really in use, free some before the
    call, or see `smaller_batches`. The first attempt must have no effect that the second would repeat.

    Arguments:
        function: the function to call.
        args, kwargs: its arguments.

    Raises:
        MemoryError: the second attempt ran out of memory, too. All other errors propagate.

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
    """Call `step` with one slice of `items` after another, and halve the slices when memory runs out.

    The slice that failed is repeated in halves, after releasing the memory of the failed call as `retry_after_oom`
    does. Later slices keep the smaller size. So `step` must have no effect before its memory is allocated, or only
    effects that may be repeated.

    Arguments:
        step: called with a slice, such as `items[0:64]`.
        items: a tensor, array or list, or a range if `step` only needs indices.
        batch_size: the number of items in the first slice; all of them by default.
        smallest: if a slice of this many items fails, the error is raised.

    Returns:
        An iterator of the results of `step`.

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
        del result  # only the caller keeps it while the next step runs


def _release_failed_call(error: BaseException, handled: BaseException | None) -> None:
    """Release the memory of a failed call: see Note [What a failed call holds].

    Arguments:
        error: the exception that the call raised.
        handled: the exception that was being handled when the call began; it stays unchanged.
    """
    seen: set[int] = set() if handled is None else {id(handled)}
    pending: list[BaseException | None] = [error]
    while pending:
        failure = pending.pop()
        if failure is None or id(failure) in seen:
            continue
        seen.add(id(failure))
        pending += [failure.__cause__, failure.__context__]
        if isinstance(failure, BaseExceptionGroup):
            pending += failure.exceptions
        clear_frames(failure.__traceback__)
        failure.__traceback__ = failure.__context__ = failure.__cause__ = None
    pending.clear()
    gc.collect()
    for host in known_host_allocators():
        host.trim()
    for caching in known_caching_allocators():
        try:
            caching.empty_cache()
        except DriverError:
            continue  # the error will be raised again by the next call
