"""Bytes over time, by category and by module."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._trace.records import Kind
from .._trace.trace import Trace
from .categories import CATEGORIES, categories_of
from .lifetimes import BEFORE, FOREVER, Lifetimes, lifetimes_of

POINTS = 1_000  # of a drawn curve
GROUPS = 12  # series of a drawn curve; smaller modules are one group
OTHERS = "others"
OUTSIDE = "(outside modules)"


class Curve(NamedTuple):
    """Bytes over time.

    Arguments:
        times: nanoseconds.
        names: the names of the groups.
        nbytes: live bytes after each time, by time and group.
    """

    times: Any
    names: list[str]
    nbytes: Any

    @property
    def peak(self) -> int:
        """The largest number of live bytes."""
        return int(self.nbytes.sum(axis=1).max()) if len(self.times) else 0


def by_category(trace: Trace, device: int, points: int | None = None) -> Curve:
    """Return live bytes by category. With `points`, keep the largest moment of each of that many intervals."""
    blocks = lifetimes_of(trace, device)
    return _curve(trace, blocks, categories_of(trace, blocks), list(CATEGORIES), points)


def by_module(trace: Trace, device: int, points: int | None = None) -> Curve:
    """Return live bytes by the module that allocated them: the modules with the most bytes, and the others."""
    blocks = lifetimes_of(trace, device)
    calls = np.append(trace.enclosing(Kind.MODULE), -1)[blocks.events]
    names = np.append(trace.events["name"], 0)[calls].astype(np.int64)
    names[calls < 0] = len(trace.names)
    found, group = np.unique(names, return_inverse=True)
    leading = np.argsort(-np.bincount(group, blocks.nbytes, len(found)), kind="stable")[:GROUPS]
    rank = np.full(len(found), len(leading))
    rank[leading] = np.arange(len(leading))
    labels = [([*trace.names, OUTSIDE])[found[place]] for place in leading]
    return _curve(trace, blocks, rank[group], labels + [OTHERS] * (len(found) > len(leading)), points)


def _curve(trace: Trace, blocks: Lifetimes, group: Any, names: list[str], points: int | None) -> Curve:
    ending = blocks.ends < FOREVER
    times = np.concatenate([np.where(blocks.starts == BEFORE, 0, blocks.starts), blocks.ends[ending]])
    changes = np.concatenate([blocks.nbytes, -blocks.nbytes[ending]])
    groups = np.concatenate([group, group[ending]])
    order = np.argsort(times, kind="stable")
    times, changes, groups = times[order], changes[order], groups[order]
    if not len(times):
        return Curve(times, names, np.zeros((0, len(names)), np.int64))
    last = np.append(times[1:] != times[:-1], True)  # the state after all changes of one time
    kept = np.flatnonzero(last)
    if points is not None and len(kept) > points:
        kept = _highest(np.cumsum(changes)[kept], times[kept], kept, points)
    columns = [np.cumsum(np.where(groups == place, changes, 0))[kept] for place in range(len(names))]
    return Curve(times[kept], names, np.stack(columns, axis=1))


def _highest(total: Any, times: Any, kept: Any, points: int) -> Any:
    """Return the place of the largest total in each of `points` intervals of time, and the last place."""
    span = max(int(times[-1] - times[0]), 1)
    interval = (times - times[0]) * points // (span + 1)
    order = np.lexsort((total, interval))
    last = np.append(interval[order][1:] != interval[order][:-1], True)
    return np.union1d(kept[order[last]], kept[-1:])
