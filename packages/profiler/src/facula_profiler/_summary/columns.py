"""Figures of each event that several tables and drawings use, computed once."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .._trace.records import Kind
from .._trace.trace import Trace

Array = np.ndarray[Any, Any]

#: Kinds of events that compute, or that wait: the rows of the operator table.
WORK = (Kind.LAUNCH, Kind.REPLAY, Kind.KERNEL, Kind.COPY, Kind.COLLECTIVE, Kind.SYNCHRONIZE, Kind.WAIT)


class Columns:
    """Derived columns of a trace, in the order of its events."""

    def __init__(self, trace: Trace):
        self.trace = trace
        self.events = trace.events

    @cached_property
    def lengths(self) -> Array:
        """Nanoseconds of each event."""
        return self.events["end"] - self.events["start"]

    @cached_property
    def self_times(self) -> Array:
        """Nanoseconds of each event outside of the events that it encloses; 0 where these overlap."""
        return np.maximum(self.trace.self_times(), 0)

    @cached_property
    def depths(self) -> Array:
        """The number of events that enclose each event."""
        above = self.events["parent"].astype(np.int64)
        depths = (above >= 0).astype(np.int64)
        while (inner := np.flatnonzero(above >= 0)).size:  # doubles the distance to the event at `above`
            depths[inner] += depths[above[inner]]
            above[inner] = above[above[inner]]
        return depths

    def in_lanes(self, kind: str) -> Array:
        """Return a mask of the events in lanes of this kind."""
        wanted = np.array([lane.kind == kind for lane in self.trace.lanes], bool)
        return wanted[self.events["lane"]] if len(self.events) else np.zeros(0, bool)

    def of(self, *kinds: Kind) -> Array:
        """Return a mask of the events of these kinds."""
        return np.isin(self.events["kind"], kinds)

    @cached_property
    def modules(self) -> Array:
        """The index of the name of each event's module, or -1."""
        calls = self.trace.enclosing(Kind.MODULE)
        return np.where(calls < 0, -1, self.events["name"][calls]) if len(calls) else calls

    @cached_property
    def flops(self) -> Array:
        """Floating-point operations of each event, 0 where they are unknown."""
        return self._of_signatures([found.flops for found in self.trace.signatures])

    @cached_property
    def nbytes(self) -> Array:
        """Bytes that each event reads and writes, 0 where they are unknown."""
        found = self._of_signatures([found.nbytes for found in self.trace.signatures])
        return np.where(self.of(Kind.COPY) & (found == 0), 2.0 * np.maximum(self.events["value"], 0), found)

    def _of_signatures(self, figures: list[int]) -> Array:
        """Return the figure of each event's signature; figures for one element are multiplied by the elements."""
        place = self.events["signature"]
        each = np.array([found.shapes is None for found in self.trace.signatures] + [False])
        found = np.array([*figures, 0], np.float64)[place]
        return np.where(each[place], found * np.maximum(self.events["value"], 0), found)

    @cached_property
    def lines(self) -> tuple[list[str], Array]:
        """The lines of the program that launched, as text, and the index of each event's line or -1."""
        numbers: dict[str, int] = {}
        of_stack = [-1] * (len(self.trace.stacks) + 1)
        for place, stack in enumerate(self.trace.stacks):
            if stack:
                frame = next((frame for frame in stack if not frame.is_library), stack[0])
                of_stack[place] = numbers.setdefault(f"{frame.file}:{frame.line} {frame.function}", len(numbers))
        return list(numbers), np.array(of_stack)[self.events["stack"]]
