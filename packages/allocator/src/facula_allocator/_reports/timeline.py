"""The curve of live bytes over the events of a run, by holder, thinned to the resolution of a screen."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BEFORE_FIRST_EVENT = "(allocated before the first event)"
OTHERS = "others"
MAX_SERIES = 10
MAX_POINTS = 1200  # buckets; each keeps its highest and its lowest point


class Change(NamedTuple):
    """The change that an event made to the live bytes of one holder, or to the reserved bytes."""

    event: int
    holder: str = OTHERS
    live: int = 0
    reserved: int = 0
    time_us: int | None = None


class Timeline(NamedTuple):
    """Points of the curve: for each event in `x`, the live bytes of each holder, and the reserved bytes.

    `peak` is exact: the event of the peak is always among the points.
    """

    x: list[int]
    series: list[tuple[str, list[int]]]
    reserved: list[int] | None
    times: list[int] | None
    peak: int
    marks: Sequence[tuple[int, str]]
    ooms: Sequence[tuple[int, int]]
    capacity: int | None


def timeline_of(
    changes: Sequence[Change], start: Mapping[str, int], *, reserved: int | None = None,
    marks: Sequence[tuple[int, str]] = (), ooms: Sequence[tuple[int, int]] = (), capacity: int | None = None,
) -> Timeline:  # fmt: skip
    """Compute the curve of some changes.

    Arguments:
        changes: the changes, in the order of events.
        start: the live bytes of each holder before the first change.
        reserved: the reserved bytes before the first change; None if unknown.
        marks, ooms: events, with a name or a number of bytes each.
        capacity: the bytes of the device.

    >>> found = timeline_of([Change(0, "a", 5), Change(1, "b", 3), Change(2, "a", -5)], {"b": 1})
    >>> found.x, found.series, found.peak
    ([0, 1, 2], [('a', [5, 5, 0]), ('b', [1, 4, 4])], 9)
    """
    now, highest = dict(start), dict(start)
    total, total_reserved = sum(start.values()), reserved or 0
    totals: list[int] = []
    levels: list[int] = []
    for change in changes:
        held = now.get(change.holder, 0) + change.live
        now[change.holder] = held
        highest[change.holder] = max(highest.get(change.holder, 0), held)
        total += change.live
        total_reserved += change.reserved
        totals.append(total)
        levels.append(total_reserved)
    chosen = sorted((name for name, most in highest.items() if most), key=lambda name: (-highest[name], name))
    names = chosen if len(chosen) <= MAX_SERIES else chosen[: MAX_SERIES - 1]
    places = {name: place for place, name in enumerate(names)}
    rest = len(names)
    sums = [0] * (rest + 1)
    for name, nbytes in start.items():
        sums[places.get(name, rest)] += nbytes
    kept = thinned(totals, levels)
    columns: list[list[int]] = [[] for _ in sums]
    for number, change in enumerate(changes):
        sums[places.get(change.holder, rest)] += change.live
        if number in kept:
            for column, nbytes in zip(columns, sums):
                column.append(nbytes)
    points = sorted(kept)
    series = list(zip([*names, OTHERS], columns))
    times = [change.time_us for change in changes if change.time_us is not None]
    return Timeline(
        x=[changes[number].event for number in points],
        series=series if len(chosen) > MAX_SERIES else series[:-1],
        reserved=None if reserved is None else [levels[number] for number in points],
        times=[times[number] - times[0] for number in points] if len(times) == len(changes) else None,
        peak=max([sum(start.values()), *totals]),
        marks=marks,
        ooms=ooms,
        capacity=capacity,
    )


def thinned(totals: Sequence[int], levels: Sequence[int]) -> set[int]:
    """Return the points to keep: each bucket's first, highest, lowest, and most reserved."""
    count = len(totals)
    if count <= 3 * MAX_POINTS:
        return set(range(count))
    kept = {0, count - 1}
    for bucket in range(MAX_POINTS):
        inside = range(bucket * count // MAX_POINTS, (bucket + 1) * count // MAX_POINTS)
        kept |= {inside[0], max(inside, key=totals.__getitem__), min(inside, key=totals.__getitem__)}
        kept.add(max(inside, key=levels.__getitem__))
    return kept
