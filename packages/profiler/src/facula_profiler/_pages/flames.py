"""Flame graphs: trees of calls, with the time of equal paths added up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._trace.records import Kind

if TYPE_CHECKING:
    from .._summary.columns import Columns

MAX_NODES = 3_000
SKIPPED = (Kind.STEP,)  # steps are added up
BACKWARD = " (backward)"


class Flame(NamedTuple):
    """A tree; the root is node 0, and parents precede their children.

    Arguments:
        parents: the parent of each node; -1 for the root.
        names: the label of each node.
        kinds: the kind of its events, or 0.
        own: nanoseconds outside of children.
        total: nanoseconds with children.
        calls: the number of events.
        dropped: the number of small nodes that were left out; their time belongs to their parents.
    """

    parents: list[int]
    names: list[str]
    kinds: list[int]
    own: list[int]
    total: list[int]
    calls: list[int]
    dropped: int = 0


def by_module(columns: Columns) -> Flame:
    """Return the tree of modules, ranges and operators on host threads.

    A backward rule belongs to the module of its forward operator.
    """
    events, trace = columns.events, columns.trace
    above = events["parent"].astype(np.int64)
    rules = np.flatnonzero(columns.of(Kind.BACKWARD) & (events["link"] >= 0))
    above[rules] = events["parent"][events["link"][rules]]
    skipped = columns.of(*SKIPPED)
    label = (events["name"] * 2 + columns.of(Kind.BACKWARD)).astype(np.int64)
    node = np.zeros(len(events), np.int64)
    placed = ~columns.in_lanes("python")  # other lanes are not drawn
    parents, labels, kinds = [-1], [0], [0]
    waiting = np.flatnonzero(~placed)
    while True:  # one level of the tree at a time
        ready = (above[waiting] < 0) | placed[above[waiting]]
        level, waiting = waiting[ready], waiting[~ready]
        if not len(level):
            break  # the rest are cycles of links, which recordings do not contain
        under = np.where(above[level] < 0, 0, node[above[level]])
        drawn = ~skipped[level]
        node[level[~drawn]] = under[~drawn]
        key, first, which = np.unique(
            under[drawn] * (2 * len(trace.names)) + label[level[drawn]], return_index=True, return_inverse=True
        )
        node[level[drawn]] = which + len(parents)
        parents += (key // (2 * len(trace.names))).tolist()
        labels += (key % (2 * len(trace.names))).tolist()
        kinds += events["kind"][level[drawn][first]].tolist()
        placed[level] = True
    counted = np.flatnonzero(columns.in_lanes("python"))
    own = np.bincount(node[counted], np.where(skipped[counted], 0, columns.self_times[counted]), len(parents))
    calls = np.bincount(node[counted], minlength=len(parents))
    names = ["all"] + [trace.names[one // 2] + BACKWARD * (one % 2) for one in labels[1:]]
    return _pruned(parents, names, kinds, own.astype(np.int64).tolist(), calls.tolist())


def by_line(columns: Columns) -> Flame:
    """Return the tree of the program's lines and the operators that they launch, if stacks were recorded."""
    events, trace = columns.events, columns.trace
    chosen = np.flatnonzero((events["stack"] >= 0) & columns.in_lanes("python"))
    width = len(trace.names) + 1
    key, place = np.unique(events["stack"][chosen].astype(np.int64) * width + events["name"][chosen],
                           return_inverse=True)  # fmt: skip
    spent = np.bincount(place, columns.self_times[chosen], len(key)).astype(np.int64)
    counts = np.bincount(place, minlength=len(key))
    parents, names, own, calls = [-1], ["all"], [0], [0]
    children: dict[tuple[int, str], int] = {}

    def child(parent: int, name: str) -> int:
        found = children.setdefault((parent, name), len(parents))
        if found == len(parents):
            parents.append(parent)
            names.append(name)
            own.append(0)
            calls.append(0)
        return found

    ends: dict[int, int] = {}
    for one, time, count in zip(key.tolist(), spent.tolist(), counts.tolist()):
        number = one // width
        if number not in ends:
            frames = [frame for frame in trace.stacks[number] if not frame.is_library] or trace.stacks[number]
            at = 0
            for frame in reversed(frames):
                at = child(at, f"{frame.function} {frame.file}:{frame.line}")
            ends[number] = at
        leaf = child(ends[number], trace.names[one % width])
        own[leaf] += time
        calls[leaf] += count
    return _pruned(parents, names, [0] * len(parents), own, calls)


def _pruned(parents: list[int], names: list[str], kinds: list[int], own: list[int], calls: list[int]) -> Flame:
    """Return the tree with totals, without its smallest nodes if it has too many."""
    total = list(own)
    for node in range(len(parents) - 1, 0, -1):
        total[parents[node]] += total[node]
    kept = range(len(parents))
    if len(parents) > MAX_NODES:  # a parent's total is at least that of its child, and it comes first
        largest = sorted(range(1, len(parents)), key=lambda node: (-total[node], node))[: MAX_NODES - 1]
        kept = sorted([0, *largest])  # type: ignore[assignment]
    number = {old: new for new, old in enumerate(kept)}
    return Flame(
        [number.get(parents[old], -1) for old in kept], [names[old] for old in kept], [kinds[old] for old in kept],
        [own[old] for old in kept], [total[old] for old in kept], [calls[old] for old in kept],
        len(parents) - len(number),
    )  # fmt: skip
