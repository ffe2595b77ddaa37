"""Checks whether a recorded run fits a device, and the search for the smallest device that it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._errors import format_bytes
from .._reports.call_sites import printable
from .replay_report import Shortfall
from .replaying import DEFAULT_CAPACITY, Player, checked_trace, given_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._options import Option
    from .._reports.whole_files import Path
    from ..traces._events import Trace

STEP = 2 << 20
PROBES = 8  # capacities to try on either side of the smallest one


class Fit(NamedTuple):
    """Whether a run fits, which is also the object's truth value, with the reason or the remaining memory.

    Arguments:
        fits: whether all requests were served.
        capacity: the bytes of the device.
        peak_reserved: the most bytes reserved, up to the point where the run did not fit.
        headroom: bytes never reserved; 0 if the run does not fit.
        shortfall: the first request that ran out of memory, or None.
        inexact: how the initial state differs from the memory held when the recording began; empty if it does not.
    """

    fits: bool
    capacity: int
    peak_reserved: int
    headroom: int
    shortfall: Shortfall | None
    inexact: str = ""

    def __bool__(self) -> bool:
        return self.fits

    def __str__(self) -> str:
        capacity = format_bytes(self.capacity)
        text = f"does not fit into {capacity}: {self.shortfall}"
        if self.fits:
            peak, spare = format_bytes(self.peak_reserved), format_bytes(self.headroom)
            text = f"fits: at most {peak} of {capacity} reserved, {spare} to spare"
        return f"{text}; recorded from the middle of a run: {printable(self.inexact)}" if self.inexact else text


class SmallestCapacity(NamedTuple):
    """The smallest device found that a run fits.

    A run that fits some capacity may not fit a larger one: an allocator that releases idle memory later may split other
    blocks. So capacities on either side were tried, too.

    Arguments:
        nbytes: the capacity, a multiple of `step`; with `step` bytes less the run does not fit.
        step: the difference between the capacities tried.
        replays: the number of capacities tried.
        too_small: larger capacities that the run does not fit; usually empty.
    """

    nbytes: int
    step: int
    replays: int
    too_small: tuple[int, ...]

    def __str__(self) -> str:
        text = f"fits into {format_bytes(self.nbytes)}, and not into {format_bytes(self.step)} less"
        if self.too_small:
            text += f"; not into {', '.join(map(format_bytes, self.too_small))} either, so leave a margin"
        return f"{text} ({self.replays} replays)"


@boundary
def will_it_fit(trace: Trace | Path, capacity: int, options: Mapping[str, Option] | None = None, **more: Option) -> Fit:
    """Return whether a recorded run fits a device of `capacity` bytes, including fragmentation.

    Exact for the recorded order of requests and completions: the allocator itself runs, on a simulated device. A
    request that was refused in the recorded run must be served, too.

    Arguments:
        trace: a file from `CachingAllocator.record_trace` or `TraceWriter`, or a `Trace` in memory.
        capacity: the bytes of the device.
        options: options of `CachingAllocator`, and `limit`, that replace the recorded ones.
        more: options by name, which override those in `options`.

    >>> from facula_allocator.traces import Allocate, Trace
    >>> trace = Trace(512, None, {}, [], [Allocate(0, 30 << 20, 0, None), Allocate(1, 5 << 20, 0, None)])
    >>> print(will_it_fit(trace, 64 << 20))
    fits: at most 50 MiB of 64 MiB reserved, 14 MiB to spare
    >>> bool(will_it_fit(trace, 32 << 20))
    False
    """
    _check_bytes("will_it_fit", "capacity", capacity)
    given = given_options("will_it_fit", options, more)
    return _fit(checked_trace("will_it_fit", trace), capacity, given)


@boundary
def smallest_capacity(trace: Trace | Path, *, step: int = STEP, **options: Option) -> SmallestCapacity:
    """Return the smallest device that a recorded run fits, by bisection with checks on either side.

    Arguments:
        trace: a file from `CachingAllocator.record_trace` or `TraceWriter`, or a `Trace` in memory.
        step: the capacities to try are multiples of it.
        options: options of `CachingAllocator`, and `limit`, that replace the recorded ones.

    Raises:
        ValueError: no capacity suffices, because of a limit or a request beyond any device.

    >>> from facula_allocator.traces import Allocate, Trace
    >>> trace = Trace(512, None, {}, [], [Allocate(0, 30 << 20, 0, None), Allocate(1, 5 << 20, 0, None)])
    >>> print(smallest_capacity(trace))  # doctest: +ELLIPSIS
    fits into 36 MiB, and not into 2 MiB less (... replays)
    """
    _check_bytes("smallest_capacity", "step", step)
    trace = checked_trace("smallest_capacity", trace)
    report = Player(trace, DEFAULT_CAPACITY, options).play(None)
    if report.shortfall is not None:
        raise InvalidValueError(
            f"smallest_capacity: expected a run that fits into {format_bytes(DEFAULT_CAPACITY)}; "
            f"{printable(str(report.shortfall))}. Give a larger limit"
        )
    tried: dict[int, bool] = {0: False}

    def fits(steps: int) -> bool:
        if steps not in tried:
            tried[steps] = bool(_fit(trace, steps * step, options))
        return tried[steps]

    least = -(-report.peak_allocated // step) - 1  # too small for the blocks of the peak
    most = max(least + 1, -(-report.peak_reserved // step))
    tried[least] = False
    while not fits(most):
        most += max(1, (most - least) // 2)
    found = _bisect(fits, least, most)
    while lower := [steps for steps in _evenly_spaced(least, found) if fits(steps)]:
        found = _bisect(fits, least, lower[0])
    too_small = [steps * step for steps in _evenly_spaced(found, most) if not fits(steps)]
    return SmallestCapacity(found * step, step, len(tried) - 1, tuple(too_small))


def _bisect(fits: Callable[[int], bool], low: int, high: int) -> int:
    """Return a number that fits while the one below does not, given that `low` does not fit and `high` does."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def _evenly_spaced(low: int, high: int) -> list[int]:
    """Return some evenly spaced numbers between two bounds."""
    return sorted({low + (high - low) * i // (PROBES + 1) for i in range(1, PROBES + 1)} - {low, high})


def _fit(trace: Trace, capacity: int, options: dict[str, Option]) -> Fit:
    report = Player(trace, capacity, dict(options)).play(None)
    short = report.shortfall
    peak = report.peak_reserved
    return Fit(short is None, capacity, peak, 0 if short else capacity - peak, short, report.inexact)


def _check_bytes(operation: str, name: str, value: int) -> None:
    if type(value) is not int:
        raise InvalidTypeError(f"{operation}: expected {name}, an int; got {value!r:.60}")
    if value < 1:
        raise InvalidValueError(f"{operation}: expected {name} from 1; got {value}")
