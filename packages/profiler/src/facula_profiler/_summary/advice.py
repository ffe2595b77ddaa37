"""The evidence for a bottleneck, and remedies."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from .._trace.records import Kind
from .intervals import measure
from .units import amount, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .columns import Columns
    from .peaks import Peaks
    from .shares import Shares
    from .tables import Row

LEADING = 3  # operators to name
SATURATED = 0.7  # a share above which a resource has little capacity left
IDLE = 0.5  # pool threads that work for a smaller share of the kernels' time are idle
LATE = 0.5  # collectives that wait for other ranks for a larger share of their time suffer from unequal ranks
NOTABLE = 0.1  # parts with a smaller share are not worth a remedy
SLOW = 0.1  # kernels that reach a smaller share of the roofline are limited by other causes
BOUNDS = {"memory": 1, "arithmetic": 2}  # see `Shares.bounds`
COMPUTING = [kind.name.lower() for kind in (Kind.LAUNCH, Kind.KERNEL, Kind.REPLAY)]
LOSSES = ("log_softmax", "softmax")  # parts of cross_entropy, which computes both in one pass


def evidence(part: str, columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    """Return sentences with the figures that explain a part of the time, and waits if they are notable."""
    found = EVIDENCE[part](columns, shares, rows, peaks) if part in EVIDENCE else []
    if part != "waiting" and shares.share("waiting") >= NOTABLE:
        found += _waiting_evidence(columns, shares, rows, peaks)
    return found


def _input_evidence(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    waits = columns.of(Kind.WAIT) & columns.in_lanes("python")
    times = columns.lengths[waits]
    found = [
        f"The program waited {len(times):,} times for its data loader, {seconds(times.sum())} in all; the longest wait "
        f"took {seconds(times.max(initial=0))}."
    ]
    workers, busy = _workers(columns)
    if workers:
        found.append(f"{_counted(workers, 'loader worker')} made batches for {percent(busy)} of the time.")
    return found


def _interpreter_evidence(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    launches = columns.of(Kind.LAUNCH, Kind.KERNEL) & columns.in_lanes("python")
    count = int(launches.sum())
    if not count:
        return ["No operator ran during most of the time."]
    outside = max(shares.parts["interpreter"] - shares.launched, 0)
    found = [
        f"{count:,} {'launch' if count == 1 else 'launches'} took "
        f"{seconds(np.median(columns.lengths[launches]))} (median), with "
        f"{seconds(outside / count)} of Python before each (mean)."
    ]
    if shares.launched:
        found.append(f"Launches with too little work for their fixed cost took {seconds(shares.launched)}.")
    return found


def _reached(part: str, columns: Columns, shares: Shares, peaks: Peaks) -> tuple[float, float, str]:
    """Return the rate of the kernels that a part limits, the machine's, and the unit."""
    chosen = shares.bounds == BOUNDS[part]
    spent = max(columns.self_times[chosen].sum() / 1e9, 1e-12)
    if part == "memory":
        return columns.nbytes[chosen].sum() / spent, peaks.bandwidth, "B/s"
    return columns.flops[chosen].sum() / spent, peaks.flops, "FLOP/s"


def _kernel_evidence(part: str, columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    leading = sorted((row for row in rows if row.bound == part), key=lambda row: -row.busy)[:LEADING]
    named = ", ".join(f"{row.name} {seconds(row.busy)}" for row in leading)
    found = [f"Most of it: {named}."] if leading else []
    rate, peak, unit = _reached(part, columns, shares, peaks)
    if rate:
        verb = "move" if part == "memory" else "compute"
        found.append(
            f"These kernels {verb} {amount(rate, unit)}: {percent(rate / peak)} of the machine's {amount(peak, unit)}."
        )
    if shares.pool_busy is not None:
        found.append(f"Threads of the pool worked for {percent(shares.pool_busy)} of the kernels' time.")
    return found


def _memory_evidence(*arguments: Any) -> list[str]:
    return _kernel_evidence("memory", *arguments)


def _arithmetic_evidence(*arguments: Any) -> list[str]:
    return _kernel_evidence("arithmetic", *arguments)


def _waiting_evidence(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    found = []
    for kind, one, several in (
        (Kind.SYNCHRONIZE, "wait for a device", "waits for a device"),
        (Kind.COPY, "copy between devices", "copies between devices"),
        (Kind.COLLECTIVE, "exchange with other processes", "exchanges with other processes"),
    ):
        chosen = columns.of(kind) & columns.in_lanes("python")
        count = int(chosen.sum())
        if count:
            spent = measure((columns.events["start"][chosen], columns.events["end"][chosen]))
            share = f" ({percent(spent / shares.examined)} of the time)" if kind == Kind.COLLECTIVE else ""
            found.append(f"{count:,} {one if count == 1 else several}: {seconds(spent)}{share}.")
    return [*found, *_collective_evidence(columns)]


def _collective_evidence(columns: Columns) -> list[str]:
    """Return which collectives take the time, with their lines, and how long other ranks were late."""
    chosen = np.flatnonzero(columns.of(Kind.COLLECTIVE) & columns.in_lanes("python"))
    if not len(chosen):
        return []
    names, group = np.unique(columns.events["name"][chosen], return_inverse=True)
    sums = np.bincount(group, columns.lengths[chosen])
    texts, (lines, of_event) = [], columns.lines
    for place in np.argsort(-sums, kind="stable")[:LEADING].tolist():
        longest = chosen[group == place][columns.lengths[chosen[group == place]].argmax()]
        line = f" at {lines[of_event[longest]]}" if of_event[longest] >= 0 else ""
        texts.append(f"{columns.trace.names[names[place]]} {seconds(sums[place])}{line}")
    found = [f"Most of it: {', '.join(texts)}."]
    late = _late(columns)
    if late:
        found.append(f"For {percent(late)} of the time of collectives, other ranks had not come yet.")
    return found


def _late(columns: Columns) -> float:
    """Return the share of the time of collectives for which they waited for other ranks."""
    exchanges = columns.of(Kind.COLLECTIVE) & (columns.events["value"] >= 0)  # others are waits for the background
    spent = int(columns.lengths[exchanges].sum())
    return float(columns.events["value"][exchanges].sum() / spent) if spent else 0.0


def _unknown_evidence(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    kernels = [row for row in rows if not row.bound and row.detail in COMPUTING]
    leading = sorted(kernels, key=lambda row: -row.busy)[:LEADING]
    return ["Most of it: " + ", ".join(f"{row.name} {seconds(row.busy)}" for row in leading) + "."] if leading else []


EVIDENCE = {
    "input": _input_evidence,
    "interpreter": _interpreter_evidence,
    "memory": _memory_evidence,
    "arithmetic": _arithmetic_evidence,
    "waiting": _waiting_evidence,
    "kernels": _unknown_evidence,
}


def remedies(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    """Return changes that would help, for the largest parts first."""
    ordered = sorted(shares.parts, key=lambda part: -shares.parts[part])
    found: list[str] = []
    for place, part in enumerate(ordered):
        if shares.share(part) >= (NOTABLE if place else 0) and shares.parts[part]:
            found += [one for one in REMEDIES[part](columns, shares, rows, peaks) if one not in found]
    return found


def _input_remedies(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    workers, busy = _workers(columns)
    program = max(shares.examined - shares.parts["input"], 1)
    if not workers:
        count = max(1, ceil(shares.parts["input"] / program))
        return [
            f"Load data in other processes while the program computes: DataLoader(..., num_workers={min(count, 16)})."
        ]
    if busy >= SATURATED:
        needed = ceil(workers * busy * shares.examined / program)
        return [
            f"Use more workers: num_workers={max(needed, workers + 1)} would keep up if there are as many cores; "
            "otherwise make reading and transforms cheaper, or store their results."
        ]
    return ["Request batches earlier (prefetch_factor), keep workers between epochs (persistent_workers=True), and "
            "see DataLoader(..., meter=True).report() for what delays the batches."]  # fmt: skip


def _interpreter_remedies(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    launches = columns.of(Kind.LAUNCH) & columns.in_lanes("python")
    if not columns.of(Kind.LAUNCH, Kind.REPLAY).any():
        return ["Look for the slow Python functions with cProfile: operators hardly matter here."]
    found = []
    recorded = (columns.events["seq"][launches] >= 0).any()
    if recorded and not columns.of(Kind.BACKWARD).any():
        found.append("No backward pass ran: if no gradients are needed, compute within facula.no_grad().")
    if not columns.of(Kind.REPLAY).any():
        outside = ", with collectives outside of it" if columns.of(Kind.COLLECTIVE).any() else ""
        found.append(f"Replay the step without Python: step = facula.capture(step){outside}.")
    found.append("Use larger batches: a launch takes the same time for more elements until its kernel dominates.")
    return found


def _memory_remedies(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    names = {row.name.rpartition("::")[2].lstrip("_") for row in rows if row.bound == "memory"}
    found = _slow_remedies("memory", columns, shares, peaks)
    if any(name.startswith(LOSSES) for name in names):
        found.append("Compute the loss in one pass: F.cross_entropy(scores, classes) in place of softmax, log and sum.")
    if not columns.of(Kind.REPLAY).any():
        found.append(
            "Fuse chains of elementwise operators, which then read and write memory once: facula.capture(step)."
        )
    if names & {"copy", "contiguous", "clone", "copy_"}:
        found.append("Avoid copies: keep one memory order from layer to layer, for example channels_last.")
    found.append("Move fewer bytes: in-place operators, bfloat16, or smaller activations.")
    return [*found, *_pool_remedies(shares)]


def _arithmetic_remedies(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    rate, peak, _ = _reached("arithmetic", columns, shares, peaks)
    found = [*_slow_remedies("arithmetic", columns, shares, peaks), *_pool_remedies(shares)]
    if rate >= SATURATED * peak:
        found.append(
            "Kernels reach the machine's speed: reduce the work (smaller layers or inputs), or use more cores."
        )
    else:
        found.append(
            "Kernels stay below the machine's speed: use larger batches or layers, which fill vectors and caches."
        )
    return found


def _waiting_remedies(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    host = columns.in_lanes("python")
    found = []
    if (columns.of(Kind.SYNCHRONIZE) & host).any():
        found.append("Read results of a device rarely: item(), tolist(), print and comparisons wait for all its work.")
    if (columns.of(Kind.COPY) & host).any():
        found.append("Copy without waiting: pin_memory() and to(device, non_blocking=True).")
    if (columns.of(Kind.COLLECTIVE) & host).any():
        if _late(columns) >= LATE:
            found.append("Give all ranks equal work: profile each, and compare the time before the same collective.")
        found.append("Exchange more data at once, less often: larger buckets, gradient accumulation.")
        if not columns.in_lanes("collective").any():
            found.append("Compute during collectives: async_op=True, and wait() where the result is needed.")
    return found


def _slow_remedies(part: str, columns: Columns, shares: Shares, peaks: Peaks) -> list[str]:
    rate, peak, _ = _reached(part, columns, shares, peaks)
    if not rate or rate >= SLOW * peak:
        return []
    return [
        f"Kernels reach {percent(rate / peak)} of the machine's speed: check whether other programs use its cores, and "
        "which operators are far below the roofline."
    ]


def _pool_remedies(shares: Shares) -> list[str]:
    if shares.pool_busy is None or shares.pool_busy >= IDLE:
        return []
    return [
        "Threads of the pool are mostly idle: larger batches divide among threads; for small work use fewer threads."
    ]


def _unknown_remedies(columns: Columns, shares: Shares, rows: Sequence[Row], peaks: Peaks) -> list[str]:
    return ["Profile with record_shapes=True and with_flops=True to learn whether memory or arithmetic limits kernels."]


REMEDIES = {
    "input": _input_remedies,
    "interpreter": _interpreter_remedies,
    "memory": _memory_remedies,
    "arithmetic": _arithmetic_remedies,
    "waiting": _waiting_remedies,
    "kernels": _unknown_remedies,
}


def _workers(columns: Columns) -> tuple[int, float]:
    """Return the number of loader workers, and the share of the time that they made batches."""
    fetches = columns.of(Kind.FETCH) & columns.in_lanes("loader")
    count = len(np.unique(columns.events["lane"][fetches]))
    if not count:
        return 0, 0.0
    starts, ends = columns.events["start"][fetches], columns.events["end"][fetches]
    return count, min(1.0, float((ends - starts).sum()) / (count * max(int(ends.max() - starts.min()), 1)))


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
