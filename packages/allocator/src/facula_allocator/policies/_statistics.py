"""Statistics of a driver: the number, size and duration of requests."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from facula_errors.extend import boundary

from ._policy import Policy

if TYPE_CHECKING:
    from ..drivers.protocol import Driver


class Figures(NamedTuple):
    """The counters of `Statistics`.

    Arguments:
        allocations: calls of `allocate` and `map` that succeeded.
        frees: calls of `free` and `unmap`.
        refusals: calls of `allocate` and `map` that raised.
        nbytes: bytes held now.
        peak_nbytes: the most bytes held at once.
        total_nbytes: total bytes allocated.
        allocate_seconds: time spent in allocations, including refusals.
        free_seconds: time spent in frees.
    """

    allocations: int = 0
    frees: int = 0
    refusals: int = 0
    nbytes: int = 0
    peak_nbytes: int = 0
    total_nbytes: int = 0
    allocate_seconds: float = 0.0
    free_seconds: float = 0.0


@boundary
class Statistics(Policy):
    """Counters of allocations, bytes and seconds, in `figures`.

    >>> from facula_allocator.drivers import HostDriver
    >>> driver = Statistics(HostDriver())
    >>> driver.free(driver.allocate(4096), 4096)
    >>> figures = driver.figures
    >>> figures.allocations, figures.nbytes, figures.peak_nbytes, figures.allocate_seconds > 0
    (1, 0, 4096, True)
    """

    __slots__ = ("_figures",)

    def __init__(self, driver: Driver):
        super().__init__(driver)
        self._figures = Figures()

    @property
    def figures(self) -> Figures:
        """A consistent copy of the counters."""
        return self._figures

    def reset(self) -> None:
        """Reset the counters; the bytes held now stay counted, and become the peak."""
        with self._lock:
            nbytes = self._figures.nbytes
            self._figures = Figures(nbytes=nbytes, peak_nbytes=nbytes)

    def allocate(self, nbytes: int) -> int:
        """Allocate from the driver below."""
        start = perf_counter()
        try:
            address = super().allocate(nbytes)
        except BaseException:
            self._refused(start)
            raise
        self._gained(nbytes, start)
        return address

    def free(self, address: int, nbytes: int) -> None:
        """Free memory."""
        start = perf_counter()
        super().free(address, nbytes)
        self._lost(nbytes, start)

    def map(self, address: int, nbytes: int) -> None:
        """Map memory to pages: counted as an allocation."""
        start = perf_counter()
        try:
            super().map(address, nbytes)
        except BaseException:
            self._refused(start)
            raise
        self._gained(nbytes, start)

    def unmap(self, address: int, nbytes: int) -> None:
        """Unmap pages: counted as a free."""
        start = perf_counter()
        super().unmap(address, nbytes)
        self._lost(nbytes, start)

    def _gained(self, nbytes: int, start: float) -> None:
        with self._lock:
            old = self._figures
            held = old.nbytes + nbytes
            self._figures = old._replace(
                allocations=old.allocations + 1,
                nbytes=held,
                peak_nbytes=max(old.peak_nbytes, held),
                total_nbytes=old.total_nbytes + nbytes,
                allocate_seconds=old.allocate_seconds + perf_counter() - start,
            )

    def _refused(self, start: float) -> None:
        with self._lock:
            old = self._figures
            seconds = old.allocate_seconds + perf_counter() - start
            self._figures = old._replace(refusals=old.refusals + 1, allocate_seconds=seconds)

    def _lost(self, nbytes: int, start: float) -> None:
        with self._lock:
            old = self._figures
            seconds = old.free_seconds + perf_counter() - start
            self._figures = old._replace(frees=old.frees + 1, nbytes=old.nbytes - nbytes, free_seconds=seconds)

    def _forget(self) -> None:
        self._figures = Figures()
