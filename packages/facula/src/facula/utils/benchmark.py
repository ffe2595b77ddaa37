"""facula.utils.benchmark: timing of short pieces of code, like `timeit`, with median and spread."""

from __future__ import annotations

import statistics
import timeit
from time import perf_counter as timer
from typing import TYPE_CHECKING

from facula_cpu import get_num_threads, set_num_threads
from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._types import AnyValue

__all__ = ["Measurement", "Timer", "timer"]

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (0.0, "ns"))
_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class Measurement:
    """Times of one piece of code, in seconds.

    Arguments:
        number_per_run: the number of runs per measurement.
        raw_times: the seconds of each measurement.
        title: the title of the report.
        description: shown below the title.
        num_threads: the number of threads.

    >>> print(Measurement(10, [1e-5, 3e-5, 2e-5], title="add"))
    add
      Median: 2.00 us
      IQR:    1.00 us (1.50 to 2.50)
      3 measurements, 10 runs per measurement, 1 thread
    """

    number_per_run: int
    raw_times: list[float]
    title: str
    description: str
    num_threads: int

    def __init__(
        self, number_per_run: int, raw_times: list[float], title: str = "", description: str = "", num_threads: int = 1
    ) -> None:
        self.number_per_run, self.raw_times = number_per_run, raw_times
        self.title, self.description, self.num_threads = title, description, num_threads

    @property
    def times(self) -> list[float]:
        """Seconds per run."""
        return [time / self.number_per_run for time in self.raw_times]

    @property
    def median(self) -> float:
        """The median of `times`."""
        return statistics.median(self.times)

    @property
    def mean(self) -> float:
        """The mean of `times`."""
        return statistics.fmean(self.times)

    @property
    def iqr(self) -> float:
        """The interquartile range of `times`."""
        low, high = self._quartiles()
        return high - low

    def _quartiles(self) -> tuple[float, float]:
        times = self.times
        if len(times) < 2:
            return times[0], times[0]
        low, _, high = statistics.quantiles(times, n=4, method="inclusive")
        return low, high

    def __repr__(self) -> str:
        unit = next(unit for least, unit in _UNITS if self.median >= least)
        size = _SECONDS[unit]
        lines = [line for line in (self.title, self.description) if line]
        count, runs = len(self.raw_times), f"{self.number_per_run} run{'s' if self.number_per_run > 1 else ''}"
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        if count == 1:
            lines += [f"  {self.median / size:.2f} {unit}", f"  1 measurement, {runs}, {threads}"]
        else:
            low, high = self._quartiles()
            lines += [
                f"  Median: {self.median / size:.2f} {unit}",
                f"  IQR:    {self.iqr / size:.2f} {unit} ({low / size:.2f} to {high / size:.2f})",
                f"  {count} measurements, {runs} per measurement, {threads}",
            ]
        return "\n".join(lines)


@boundary
class Timer:
    """A timer of a statement.

    Arguments:
        stmt: the code: text as for `timeit`, or a function.
        setup: code that runs, untimed, before each measurement.
        global_setup: "", as Python is the only language.
        timer: returns the time in seconds.
        globals: the global names of `stmt` and `setup`.
        label, sub_label: the title of the report; by default the statement.
        description: shown below the title.
        env: ignored.
        num_threads: the number of threads of operators.
        language: "py".

    Raises:
        ValueError: another language.

    >>> timer = Timer("x * 2", globals={"x": 3})
    >>> len(timer.timeit(10).times), timer.timeit(10).number_per_run
    (1, 10)
    """

    def __init__(
        self,
        stmt: str | Callable[[], object] = "pass",
        setup: str | Callable[[], object] = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, AnyValue] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: object = "py",
    ) -> None:
        if global_setup or str(language).lower() not in ("py", "python"):
            raise InvalidValueError(f"Timer: expected Python; got language={language!r}; give it as stmt and setup")
        self._timer = timeit.Timer(stmt, setup, timer, globals)
        title = ": ".join(filter(None, [label or (stmt if isinstance(stmt, str) else stmt.__name__), sub_label]))
        self._texts, self._threads = (title, description or ""), num_threads

    def _measured(self, number: int, count: int) -> Measurement:
        return Measurement(number, self._raw(number, count), *self._texts, self._threads)

    def _raw(self, number: int, count: int) -> list[float]:
        before = get_num_threads()
        set_num_threads(self._threads)
        try:
            return [self._timer.timeit(number) for _ in range(count)]
        finally:
            set_num_threads(before)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """Measure one time, of `number` consecutive runs."""
        self._raw(max(number // 100, 2), 1)  # the first runs are slower
        return self._measured(number, 1)

    def repeat(self, repeat: int = 5, number: int = 1_000_000) -> Measurement:
        """Measure `repeat` times, of `number` runs each."""
        return self._measured(number, repeat)

    def blocked_autorange(
        self, callback: Callable[[int, float], object] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Measure blocks of runs that are long enough to time, for `min_run_time` seconds in all."""
        number = self._block_size(min_run_time)
        times: list[float] = []
        while not times or sum(times) < min_run_time:
            times += self._raw(number, 1)
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, *self._texts, self._threads)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], object] | None = None,
    ) -> Measurement:
        """Measure like `blocked_autorange`, until the times vary little.

        Arguments:
            threshold: the accepted interquartile range, as a fraction of the median.
            min_run_time: the minimum total in seconds.
            max_run_time: the seconds after which measuring stops.
            callback: called with the number of runs and the seconds of each of the first measurements.
        """
        measured = self.blocked_autorange(callback, min_run_time)
        while sum(measured.raw_times) < max_run_time:
            if len(measured.raw_times) > 3 and measured.iqr < threshold * measured.median:
                break
            measured.raw_times += self._raw(measured.number_per_run, 1)
        return measured

    def _block_size(self, min_run_time: float) -> int:
        number = 1
        while self._raw(number, 1)[0] < min(min_run_time / 1000, 1e-3):
            number *= 10
        return number


publish(__name__)
