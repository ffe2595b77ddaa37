"""The observer of loaders, such as a profiler. Without one, each batch tests one variable.

Meters (`_meter/`) and observers receive the same times. Those of workers arrive with their batches: all processes read
the same clock.
"""

from __future__ import annotations

from typing import Protocol


class LoaderObserver(Protocol):
    """Receives the times of loaders, in ns of `time.perf_counter_ns`."""

    def waited(self, begin: int, end: int, samples: int) -> None:
        """Record that this thread waited for a batch, or made it.

        Arguments:
            begin, end: the times at which it began and ended.
            samples: the number of samples of the batch.
        """

    def made(self, loader: int, worker: int, pid: int | None, begin: int, end: int) -> None:
        """Record that a worker made a batch. Called in the thread that waits for it.

        Arguments:
            loader: the number of the group of workers in this process.
            worker: the worker's number in its group.
            pid: the ID of its process; None for a thread.
            begin, end: the times at which it began and ended.
        """


current_observer: list[LoaderObserver | None] = [None]


def observe_loaders(observer: LoaderObserver | None) -> LoaderObserver | None:
    """Report the times of all loaders to `observer` from here on, and return the former observer.

    None ends the observation.

    >>> from facula_data import DataLoader
    >>> class Samples:
    ...     def waited(self, begin, end, samples):
    ...         print(samples, begin < end)
    >>> former = observe_loaders(Samples())
    >>> batches = list(DataLoader(range(5), batch_size=3))
    3 True
    2 True
    >>> observe_loaders(former) is not former
    True
    """
    former, current_observer[0] = current_observer[0], observer
    return former
