"""The roofline: how fast this machine computes and moves memory, measured once."""

from __future__ import annotations

import sys
from functools import cache, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ORDER = 512  # of the matrices multiplied to measure arithmetic: 0.27 GFLOP
ELEMENTS = 1 << 20  # of each array copied to measure bandwidth
PARTS = 12  # arrays, one after another: 96 MiB, more than most caches
SECONDS = 0.08  # for each measurement


class Peaks(NamedTuple):
    """The roofline of a machine.

    Arguments:
        flops: floating-point operations per second, in float32.
        bandwidth: bytes per second that are read or written.
        source: what was measured, for reports.
    """

    flops: float
    bandwidth: float
    source: str = "given"


@boundary
def measured_peaks() -> Peaks:
    """Measure the roofline of this machine with the present number of threads.

    A product of matrices measures arithmetic, and copies of 48 MiB measure bandwidth. The first call takes about
    0.25 s; later calls return the same result. Facula's operators are measured if they are loaded, otherwise NumPy's.

    Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance model for multicore
    architectures", 2009.

    >>> peaks = measured_peaks()
    >>> peaks.flops > 0 and peaks.bandwidth > 0 and measured_peaks() is peaks
    True
    """
    return _measured()


@cache
def _measured() -> Peaks:
    tensor: Any = sys.modules.get("facula_tensor")  # a trace may be examined where no operators are installed
    matrix, arrays = np.ones((3, ORDER, ORDER), np.float32), np.ones((2, PARTS, ELEMENTS), np.float32)
    if tensor is None:
        multiply = partial(np.matmul, *matrix[:2], out=matrix[2])
        copies = [partial(np.copyto, target, source) for target, source in zip(*arrays)]
    else:
        # Operators compute in memory of NumPy, which is released afterwards: facula's allocator would keep it.
        square, other, result = map(tensor.from_numpy, matrix)
        multiply = partial(tensor.mm, square, other, out=result)
        copies = [
            partial(tensor.from_numpy(target).copy_, tensor.from_numpy(source)) for target, source in zip(*arrays)
        ]
    source = f"a product and a copy by {'NumPy' if tensor is None else 'facula'}"
    return Peaks(2 * ORDER**3 / _fastest([multiply]), 8 * ELEMENTS / _fastest(copies), source)


def _fastest(runs: Sequence[Callable[[], object]]) -> float:
    """Return the seconds of the fastest of some runs, which alternate.

    Short runs measure the speed of the machine even if other programs use it.
    """
    for run in runs:  # touches the memory
        run()
    times: list[float] = []
    end = perf_counter() + SECONDS
    while not times or perf_counter() < end:
        for run in runs:
            start = perf_counter()
            run()
            times.append(perf_counter() - start)
    return max(min(times), 1e-9)


def checked_peaks(operation: str, peaks: Peaks | tuple[float, float] | None) -> Peaks:
    """Return the peaks that a caller passed, or those of this machine."""
    if peaks is None:
        return measured_peaks()
    numbers = list(peaks)[:2] if isinstance(peaks, tuple | list) and len(peaks) in (2, 3) else [0]
    if not all(isinstance(number, int | float) and number > 0 for number in numbers):
        raise InvalidValueError(
            f"{operation}: expected peaks (operations per second, bytes per second), both positive; got {peaks!r:.80}"
        )
    return Peaks(*peaks)
