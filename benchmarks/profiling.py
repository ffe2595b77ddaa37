"""Profiles: the time that they add to an operator, and the time of their reports.

The rows of added time measure the same operators twice, without and with a profile, and show the difference. The time
of a whole profile includes its start, its end, and the events.
"""

from __future__ import annotations

import time
from itertools import repeat
from typing import Any

from .libraries import Rows, filled
from .measure import Loop

rows = Rows()
EVENTS = 20_000


def add_repeatedly(F: Any, count: int) -> float:
    """Return the seconds of the thread for so many additions of small tensors."""
    a, b = filled(F, 4, 4), filled(F, 4, 4)
    a + b
    start = time.thread_time()
    for _ in repeat(None, count):
        a + b
    return time.thread_time() - start


def profile_of(F: Any, **options: Any) -> Any:
    """Return a profile of the library."""
    return F.profiler.profile(activities=[F.profiler.ProfilerActivity.CPU], **options)


def added(F: Any, whole: bool = False, **options: Any) -> Loop:
    """Return a loop whose time is what a profile adds to its turns."""

    def loop(times):
        count = len(list(times))
        without = add_repeatedly(F, count)
        start = time.thread_time()
        with profile_of(F, **options) as prof:
            inside = add_repeatedly(F, count)
        if whole:
            len(prof.events())
            inside = time.thread_time() - start
        return max(inside - without, 1e-9 * count) * 1e6  # noise may exceed the difference

    return loop


@rows.row("added by a profile, an operator", 1.0, count=EVENTS, rounds=9)
def while_on(F: Any) -> Loop:
    return added(F)


@rows.row("the same with shapes", 1.0, count=EVENTS, rounds=9)
def with_shapes(F: Any) -> Loop:
    return added(F, record_shapes=True)


@rows.row("the same with stacks", 1.0, count=EVENTS, rounds=9)
def with_stacks(F: Any) -> Loop:
    return added(F, with_stack=True)


@rows.row("the same with memory", None, count=EVENTS, rounds=9)
def with_memory(F: Any) -> Loop:
    return added(F, profile_memory=True)


@rows.row("the same with start, stop and events, an operator", 1.0, count=EVENTS, rounds=9)
def whole_profile(F: Any) -> Loop:
    return added(F, whole=True)


@rows.row("an empty profile", 1.0, count=100, rounds=9)
def empty_profile(F: Any) -> Loop:
    def loop(times):
        for _ in times:
            with profile_of(F):
                pass

    return loop


@rows.row("key_averages() of 20,000 events, an event", 0.1, per=EVENTS, count=1, rounds=9)
def averages(F: Any) -> Loop:
    with profile_of(F) as prof:
        add_repeatedly(F, EVENTS)
    prof.events()

    def loop(times):
        for _ in times:
            prof.key_averages()

    return loop


@rows.row("record_function without a profile", 0.5)
def ranges(F: Any) -> Loop:
    record_function = F.profiler.record_function

    def loop(times):
        for _ in times:
            with record_function("range"):
                pass

    return loop
