"""The bars of a drawn timeline: at most `MAX_BARS`, for any number of events.

# Note [Merged bars]
# ~~~~~~~~~~~~~~~~~~
# If a trace has more events than the page should contain, events shorter than a resolution are merged with their
# neighbours: those of one lane and depth whose starts fall into the same interval of that length. A merged bar spans
# its events and has the name and kind of the longest. The resolution is the smallest power of two, in nanoseconds, that
# leaves few enough bars, so long events always keep their bars. The last step keeps all of its events if they are fewer
# than half of the bars; in a trace without steps, the last events do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._trace.records import Kind

if TYPE_CHECKING:
    from .._summary.columns import Columns

MAX_BARS = 50_000


class Bars(NamedTuple):
    """The bars, sorted by lane, depth and start; each field but the last two is an array.

    Arguments:
        events: the longest event of each bar.
        starts: nanoseconds.
        ends: nanoseconds.
        depths: rows within the lane.
        counts: the number of merged events.
        links: the bar of the event that caused this one, or -1.
        resolution: nanoseconds; shorter events were merged. 0: none.
        merged: the number of events that share a bar.
    """

    events: Any
    starts: Any
    ends: Any
    depths: Any
    counts: Any
    links: Any
    resolution: int
    merged: int


def bars_of(columns: Columns, limit: int = MAX_BARS) -> Bars:
    """Return the bars of a trace; see Note [Merged bars]."""
    events = columns.events
    depths = columns.depths
    lengths = columns.lengths
    row = events["lane"].astype(np.int64) * (int(depths.max(initial=0)) + 1) + depths
    resolution, group, count = 0, np.arange(len(events)), len(events)
    if count > limit:
        resolution, group, count = _merged(row, columns, limit)
    order = np.lexsort((lengths, group))
    last = np.append(group[order][1:] != group[order][:-1], True)[: len(order)]
    longest = order[last]
    counts = np.bincount(group, minlength=count)
    starts = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(starts, group, events["start"])
    ends = np.zeros(count, np.int64)
    np.maximum.at(ends, group, events["end"])
    drawn = np.lexsort((starts, row[longest]))
    place = np.empty(count, np.int64)
    place[drawn] = np.arange(count)
    cause = events["link"][longest]
    links = np.where(cause < 0, -1, place[group[cause]] if count else -1)
    merged = int(counts[counts > 1].sum())
    return Bars(
        longest[drawn], starts[drawn], ends[drawn], depths[longest[drawn]], counts[drawn], links[drawn], resolution,
        merged,
    )  # fmt: skip


def _detailed(columns: Columns, limit: int) -> Any:
    """Return which events keep their bars: those of the last step, or the last ones."""
    starts = columns.events["start"]
    steps = np.flatnonzero(columns.of(Kind.STEP))
    since = np.partition(starts, -limit)[-limit] if limit else starts.max() + 1
    if len(steps):
        last = steps[np.argmax(starts[steps])]
        within = (starts >= starts[last]) & (starts < columns.events["end"][last])
        if within.sum() <= limit:
            return within
    return starts > since


def _merged(row: Any, columns: Columns, limit: int) -> tuple[int, Any, int]:
    """Return a resolution, the number of each event's bar, and the number of bars."""
    order = np.lexsort((columns.events["start"], row))
    rows, starts = row[order], columns.events["start"][order]
    lengths, detailed = columns.lengths[order], _detailed(columns, limit // 2)[order]
    resolution = 64
    while True:
        short = np.flatnonzero((lengths < resolution) & ~detailed)
        interval = starts[short] // resolution
        first = np.ones(len(short), bool)
        first[1:] = (rows[short[1:]] != rows[short[:-1]]) | (interval[1:] != interval[:-1])
        count = len(rows) - len(short) + int(first.sum())
        if count <= limit or (len(short) == len(rows) - detailed.sum() and first.sum() == len(np.unique(rows[short]))):
            break  # few enough, or one bar for each row
        resolution *= 2
    group = np.empty(len(rows), np.int64)
    group[order[short]] = np.cumsum(first) - 1
    long = np.ones(len(rows), bool)
    long[short] = False
    group[order[long]] = np.arange(count - int(first.sum())) + int(first.sum())
    return resolution, group, count
