"""Where the time of a trace goes: each moment belongs to one of five parts.

# Note [Shares]
# ~~~~~~~~~~~~~
# The examined time consists of the steps, or of the time from the first to the last event of the host threads. Each of
# its moments belongs to the first of these parts that applies:
#
# * a device runs a kernel: "memory" or "arithmetic";
# * a thread waits for its data loader, or reads the data itself: "input";
# * a thread runs a kernel on the host: "memory" or "arithmetic";
# * a thread waits for a device, a copy or another process: "waiting";
# * otherwise: "interpreter".
#
# Time of kernels is divided in proportion to the kernels' times. A kernel is limited by memory if its bytes at the
# measured bandwidth take longer than its operations at the measured speed of arithmetic. Short launches that take many
# times the larger of both spend their time on being launched, and count as interpreter, as does the time of a replay
# between its kernels. Kernels with unknown operations and bytes form the part "kernels". Launches for a device are
# work of the interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._trace.records import Kind
from .intervals import Intervals, measure, overlap, union

if TYPE_CHECKING:
    from .columns import Columns
    from .peaks import Peaks

PARTS = ("input", "interpreter", "memory", "arithmetic", "waiting", "kernels")
SHORT = 3_000  # nanoseconds: shorter launches may consist of their fixed cost
FIXED_COST = 8  # times its least time: a short launch that takes longer consists of its fixed cost


class Shares(NamedTuple):
    """The nanoseconds of each part, and figures that explain them.

    Arguments:
        parts: nanoseconds by part, as in Note [Shares]; they add up to `examined`.
        examined: nanoseconds of the steps, or of the whole trace.
        steps: the number of steps; 0 if the program marked none.
        kernels: which events are kernels, on devices if there are any.
        bounds: for each event, 1 for a kernel limited by memory, 2 by arithmetic, 3 by its launch, 0 for others.
        launched: the time in launches that were shorter than their fixed cost.
        pool_busy: the share of the time of host kernels that threads of the pool work; None without such threads.
    """

    parts: dict[str, int]
    examined: int
    steps: int
    kernels: Any
    bounds: Any
    launched: int
    pool_busy: float | None

    @property
    def bottleneck(self) -> str:
        """The largest part; "nothing" for an empty trace."""
        return max(self.parts, key=lambda part: self.parts[part]) if self.examined else "nothing"

    def share(self, part: str) -> float:
        """Return a part's share of the examined time, from 0 to 1."""
        return self.parts[part] / self.examined if self.examined else 0.0


def shares_of(columns: Columns, peaks: Peaks) -> Shares:
    """Return where the time of a trace goes; see Note [Shares]."""
    host, device = columns.in_lanes("python"), columns.in_lanes("device")
    computing = columns.of(Kind.LAUNCH, Kind.KERNEL, Kind.REPLAY)
    kernels = computing & device
    remote = np.zeros(len(columns.events), bool)  # launches of kernels on devices
    remote[columns.events["link"][kernels & (columns.events["link"] >= 0)]] = True
    local = computing & host & ~remote
    steps = columns.of(Kind.STEP) & host
    inhabited = np.zeros(len(columns.events), bool)
    inhabited[columns.events["parent"][columns.events["parent"] >= 0]] = True
    steps &= inhabited  # the last step of a profile may end at once
    examined = _intervals(columns, steps) if steps.any() else _extent(columns, host | kernels)
    whole = measure(examined)

    taken: list[Intervals] = []
    attributed = 0

    def further(chosen: Any) -> int:
        """Return the nanoseconds of some events that belong to no earlier part."""
        nonlocal attributed
        taken[:] = [union(*taken, _intervals(columns, chosen))]
        before, attributed = attributed, overlap(taken[0], examined)
        return attributed - before

    on_devices = further(device & columns.of(Kind.KERNEL, Kind.COPY))
    waited = further(host & columns.of(Kind.WAIT))
    on_host = further(local)
    parts = dict.fromkeys(PARTS, 0)
    parts["input"] = waited
    parts["waiting"] = further(host & columns.of(Kind.SYNCHRONIZE, Kind.COLLECTIVE, Kind.COPY))
    bounds = _bounds(columns, peaks, kernels | local)
    launched = 0
    for spent, chosen in ((on_devices, kernels), (on_host, local)):
        times = np.bincount(bounds[chosen], columns.self_times[chosen], 4)
        for code, part in enumerate(("kernels", "memory", "arithmetic", "interpreter")):
            of_part = round(spent * times[code] / times.sum()) if times.sum() else 0
            parts[part] += of_part
            launched += of_part if part == "interpreter" else 0
    parts["interpreter"] += whole - sum(parts.values())
    pool = columns.in_lanes("pool") & columns.of(Kind.TASK)
    threads = len(np.unique(columns.events["lane"][pool]))
    possible = threads * measure(_intervals(columns, local))
    busy = min(1.0, float(columns.lengths[pool].sum()) / possible) if possible else None
    return Shares(parts, whole, int(steps.sum()), kernels | local, bounds, launched, busy)


def _intervals(columns: Columns, chosen: Any) -> Intervals:
    return columns.events["start"][chosen], columns.events["end"][chosen]


def _extent(columns: Columns, chosen: Any) -> Intervals:
    """Return one interval from the first start to the last end of some events."""
    starts, ends = _intervals(columns, chosen)
    return (starts.min(keepdims=True), ends.max(keepdims=True)) if len(starts) else (starts, ends)


def _bounds(columns: Columns, peaks: Peaks, kernels: Any) -> Any:
    """Return what limits each kernel: see `Shares.bounds`."""
    flops, nbytes = columns.flops, columns.nbytes
    if columns.in_lanes("device").any():  # a kernel's operations are those of its launch
        source = np.where((flops == 0) & (nbytes == 0), columns.events["link"], np.arange(len(flops)))
        source = np.where(source < 0, np.arange(len(flops)), source)
        flops, nbytes = flops[source], nbytes[source]
    arithmetic, memory = flops / peaks.flops * 1e9, nbytes / peaks.bandwidth * 1e9
    least, spent = np.maximum(arithmetic, memory), columns.self_times
    bounds = np.where(least == 0, 0, np.where(memory >= arithmetic, 1, 2))
    host = columns.in_lanes("python")
    bounds[host & (least > 0) & (spent < SHORT) & (spent > FIXED_COST * least)] = 3
    inner = columns.events["parent"][columns.of(Kind.KERNEL) & (columns.events["parent"] >= 0)]
    replays = np.zeros(len(bounds), bool)  # of recorded kernels: the rest of their time is the cost of the replay
    replays[inner] = True
    bounds[replays & columns.of(Kind.REPLAY)] = 3
    return np.where(kernels, bounds, 0)
