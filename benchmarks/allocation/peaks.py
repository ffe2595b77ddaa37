"""The peak of reserved memory over a trace, in MiB instead of microseconds: facula's and other algorithms'.

And the smallest device that fits a trace, in MiB, too.

The traces are derived from layer shapes, the others are policies written from publications (see
`_policies.py`, unvalidated). A device with virtual memory is compared with the best of all, one without
with the best of those that need none.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from facula_allocator import replay, smallest_capacity
from facula_allocator.traces import Trace

from ..measure import Loop, Row
from ._policies import NEED_PAGES, POLICIES, pytorch, smallest_device
from ._traces import TRACES

MIB = 1 << 20
TARGET = 1.02


@cache
def trace_of(name: str) -> Trace:
    return TRACES[name]()


@cache
def ours(name: str, pages: bool) -> float:
    return replay(trace_of(name), expandable_segments=pages).peak_reserved / MIB


@cache
def other(policy: str, name: str) -> float:
    return POLICIES[policy]().play(trace_of(name)) / MIB


@cache
def our_device(name: str) -> float:
    return smallest_capacity(trace_of(name), expandable_segments=False).nbytes / MIB


@cache
def other_device(name: str) -> float:
    return smallest_device(pytorch, trace_of(name)) / MIB


def best(name: str, pages: bool) -> float:
    """Return the least peak of the other policies."""
    return min(other(policy, name) for policy in POLICIES if pages or policy not in NEED_PAGES)


def figure(find: Callable[[], float]) -> Loop:
    """Return a loop whose time is a given figure."""

    def loop(times):
        return sum(find() for _ in times)

    return loop


rows = []
for name in TRACES:
    for pages, kind, theirs in ((True, "pages", "PyTorch, expandable"), (False, "segments", "PyTorch")):
        for reference, find, target in (
            ("best other", partial(best, name, pages), TARGET),
            (theirs, partial(other, theirs, name), None),
        ):
            title = f"peak, {name}, {kind}, other: {reference}"
            mine, yours = partial(figure, partial(ours, name, pages)), partial(figure, find)
            rows.append(Row(title, mine, yours, target, f"{reference}, MiB", count=1, rounds=1))
    devices = partial(figure, partial(our_device, name)), partial(figure, partial(other_device, name))
    rows.append(Row(f"smallest device, {name}", *devices, TARGET, "PyTorch, MiB", count=1, rounds=1))
