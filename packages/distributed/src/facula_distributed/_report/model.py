"""A model of data-parallel steps on many machines: a transfer of n bytes takes alpha + beta * n seconds.

R. W. Hockney, The communication challenge for MPP: Intel Paragon and Meiko CS-2, 1994. The costs of a ring and of
halving and doubling: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of Collective Communication Operations in
MPICH, 2005.
"""

from __future__ import annotations

from math import ceil, log2
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

RANKS = (8, 32, 128, 512, 1024)
LINKS = {"1 Gb/s": (50e-6, 1 / 0.118e9), "25 Gb/s": (15e-6, 1 / 2.9e9), "100 Gb/s": (3e-6, 1 / 11.5e9)}
_MAX_BUCKETS = 1000  # of one line in a step
_BACKWARD = 2 / 3  # of a step's compute, during which gradients are exchanged


class Point(NamedTuple):
    """Measured transfers of one line.

    Fields:
        nbytes: the bytes of a call.
        seconds: its time.
        calls: the number of calls.
    """

    nbytes: float
    seconds: float
    calls: int


class Model(NamedTuple):
    """A model, and the measurements that it fits.

    Fields:
        size: the measured number of ranks.
        measured: the measured share of ideal speed: compute over the whole time.
        alpha: seconds of a transfer of no bytes on this machine.
        beta: seconds per byte.
        points: the measured transfers.
        shares: the shares of ideal speed by link, for each of `RANKS`; each machine runs `size` ranks.
    """

    size: int
    measured: float
    alpha: float
    beta: float
    points: tuple[Point, ...]
    shares: dict[str, tuple[float, ...]]

    def __repr__(self) -> str:
        found = [
            f"model: a transfer of n bytes takes {self.alpha * 1e6:.1f} us + n / {1e-9 / self.beta:.2f} GB/s"
            if self.beta else "model: no transfers were measured",
            *[
                f"  {point.nbytes / 1e3:12.1f} kB: measured {point.seconds * 1e6:9.1f} us, model "
                f"{(self.alpha + self.beta * point.nbytes) * 1e6:9.1f} us ({point.calls} calls)"
                for point in self.points
            ],
            f"share of ideal speed: measured with {self.size} ranks {self.measured:.2f}; model, without late ranks, "
            f"{self.size} ranks on each machine:",
            f"  {'ranks':8s}" + "".join(f"{ranks:>8,}" for ranks in RANKS),
            *[f"  {link:8s}" + "".join(f"{share:8.2f}" for share in shares) for link, shares in self.shares.items()],
        ]  # fmt: skip
        return "\n".join(found)


def fit(points: Sequence[Point]) -> tuple[float, float]:
    """Return alpha and beta, at least 0, by least squares over calls, relative to their times."""
    weights = [point.calls / max(point.seconds, 1e-9) ** 2 for point in points]
    total = sum(weights)
    if not total:
        return 0.0, 0.0
    x = sum(w * point.nbytes for w, point in zip(weights, points, strict=True)) / total
    y = sum(w * point.seconds for w, point in zip(weights, points, strict=True)) / total
    spread = sum(w * (point.nbytes - x) ** 2 for w, point in zip(weights, points, strict=True))
    slope = sum(w * (point.nbytes - x) * (point.seconds - y) for w, point in zip(weights, points, strict=True))
    if spread > 0 and 0 <= slope / spread <= y / x:
        return y - slope / spread * x, slope / spread
    return (0.0, y / x) if x else (y, 0.0)


def all_reduce_seconds(nbytes: float, machines: int, alpha: float, beta: float) -> float:
    """Return the time of an all_reduce between machines, by a ring or by halving and doubling."""
    if machines == 1:
        return 0.0
    messages = min(machines - 1, ceil(log2(machines)))
    return 2 * messages * alpha + 2 * (machines - 1) / machines * nbytes * beta


def step_seconds(compute: float, buckets: Sequence[tuple[float, float]]) -> float:
    """Return the time of a step whose buckets are exchanged one after the other, during the backward pass.

    Arguments:
        compute: seconds of forward and backward pass.
        buckets: bytes and seconds of each exchange; a bucket is ready after its share of the backward pass.
    """
    total = sum(nbytes for nbytes, _ in buckets)
    done, free = 0.0, 0.0
    for nbytes, seconds in buckets:
        done += nbytes
        ready = compute * (1 - _BACKWARD + _BACKWARD * (done / total if total else 1.0))
        free = max(free, ready) + seconds
    return max(compute, free)


def model_of(points: Sequence[Point], compute: float, seconds: float, size: int, steps: int) -> Model:
    """Return the model of a program.

    Arguments:
        points: its transfers.
        compute: its seconds outside of collectives.
        seconds: all its seconds.
        size: the number of ranks of this machine.
        steps: the number of steps.
    """
    alpha, beta = fit([point for point in points if point.seconds > 0])

    def share(ranks: int, a: float, b: float) -> float:
        buckets = []
        for point in points:
            one = alpha + beta * point.nbytes + all_reduce_seconds(point.nbytes, max(1, ranks // size), a, b)
            count = point.calls / steps
            whole = min(_MAX_BUCKETS, max(1, round(count)))
            buckets += [(point.nbytes * count / whole, one * count / whole)] * whole
        return compute / steps / step_seconds(compute / steps, buckets) if compute else 0.0

    shares = {link: tuple([share(ranks, a, b) for ranks in RANKS]) for link, (a, b) in LINKS.items()}
    return Model(size, compute / seconds if seconds else 0.0, alpha, beta, tuple(points), shares)
