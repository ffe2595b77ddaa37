"""The observer of collectives and messages, such as a profiler. Without one, each call tests one variable."""

from __future__ import annotations

from threading import get_ident
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType


class Exchange(NamedTuple):
    """A collective or a message, as one rank calls it.

    Fields:
        operation: the function, such as "all_reduce", "send" or "recv".
        backend: the name of the group's backend, such as "gloo".
        group: the number of the group; 0 for all ranks.
        size: the number of ranks in the group.
        shapes: the shapes of the tensors; () without tensors.
        dtype: their dtype, such as "float32"; "" without tensors.
        nbytes: the bytes that this rank sends or receives, whichever are more; 0 before objects are received.
        reduction: the name of the reduction, such as "SUM"; "" if there is none.
        peer: the source or destination, a rank of all ranks; -1 if all ranks are.
        site: the code object and the instruction of the program that call it.
    """

    operation: str
    backend: str
    group: int
    size: int
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    nbytes: int
    reduction: str
    peer: int
    site: tuple[CodeType, int]


class ExchangeObserver(Protocol):
    """Receives the times of exchanges, in ns of `time.perf_counter_ns`."""

    def exchanged(self, exchange: Exchange, begin: int, end: int, waited: int, in_background: bool) -> None:
        """Record that an exchange ended, or failed. Called in the thread that ran it.

        Arguments:
            exchange: the exchange.
            begin, end: the times at which it began and ended.
            waited: the nanoseconds for which it slept until other ranks came.
            in_background: whether the group's own thread ran it, instead of the program's.
        """

    def awaited(self, exchange: Exchange, begin: int, end: int) -> None:
        """Record that the calling thread waited for an exchange in the background.

        Arguments:
            exchange: the exchange.
            begin, end: the times at which the thread began and ended to wait.
        """


current_observer: list[ExchangeObserver | None] = [None]


def observe_exchanges(observer: ExchangeObserver | None) -> ExchangeObserver | None:
    """Report the collectives and messages of all groups to `observer` from here on, and return the former observer.

    None ends the observation.

    >>> from facula_distributed import HashStore, all_reduce, destroy_process_group, init_process_group
    >>> from facula_tensor import ones
    >>> class Sizes:
    ...     def exchanged(self, exchange, begin, end, waited, in_background):
    ...         print(exchange.operation, exchange.shapes, exchange.nbytes, begin < end)
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> former = observe_exchanges(Sizes())
    >>> all_reduce(ones(2, 3))
    all_reduce ((2, 3),) 24 True
    >>> _ = observe_exchanges(former)
    >>> destroy_process_group()
    """
    former, current_observer[0] = current_observer[0], observer
    return former


def observed(observer: ExchangeObserver, exchange: Exchange, run: Callable[[], float]) -> Callable[[], float]:
    """Return a function that reports an exchange to an observer.

    Arguments:
        observer: the observer.
        exchange: the exchange.
        run: runs it, and returns the seconds for which it waited. One that fails waited for all of its time.
    """
    caller = get_ident()

    def reported() -> float:
        begin, waited = perf_counter_ns(), -1.0
        try:
            waited = run()
        finally:
            end = perf_counter_ns()
            nanoseconds = end - begin if waited < 0 else min(round(waited * 1e9), end - begin)
            observer.exchanged(exchange, begin, end, nanoseconds, get_ident() != caller)
        return waited

    return reported
