"""Sums over the events that an event encloses, for all events at once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .._trace.records import Kind

if TYPE_CHECKING:
    from .._trace.trace import Trace

    Array = np.ndarray[Any, Any]

STEP_KEY = "ProfilerStep*"  # of all steps together


class Columns:
    """Values of all events of a trace. `shown` contains the indices of those in reports.

    Tasks on threads of a pool are parts of launches, and segments are not work of the program. Neither are shown.
    """

    def __init__(self, trace: Trace):
        self.trace = trace
        self.has_shapes = trace.metadata.get("record_shapes", True)
        self.has_flops = trace.metadata.get("with_flops", True)
        self.kinds, self.parents = trace.events["kind"], trace.events["parent"]
        of_devices = np.array([lane.kind == "device" for lane in trace.lanes], bool)
        hidden = np.array([lane.kind in ("pool", "allocator") for lane in trace.lanes], bool)
        self.is_device = of_devices[trace.events["lane"]]
        self.shown = np.flatnonzero(~hidden[trace.events["lane"]])

    @cached_property
    def total_ns(self) -> Array:
        """The duration of each event."""
        return self.trace.events["end"] - self.trace.events["start"]

    @cached_property
    def self_ns(self) -> Array:
        """The duration of each event outside of those that it encloses."""
        return self.trace.self_times()

    @cached_property
    def flops(self) -> Array:
        """The floating-point operations of each launch; 0 unless the profile counts them."""
        if not self.has_flops:
            return np.zeros(len(self.trace), np.int64)
        signatures = self.trace.signatures
        once = np.array([*[one.flops for one in signatures], 0], np.int64)
        for_any_size = np.array([*[one.shapes is None for one in signatures], False], bool)
        place = self.trace.events["signature"]
        return once[place] * np.where(for_any_size[place], self.trace.events["value"], 1)

    def _by_event(self, values: Array, events: Array) -> Array:
        known = events >= 0
        return np.bincount(events[known], values[known], len(self.trace)).astype(np.int64)

    @cached_property
    def self_bytes(self) -> tuple[Array, Array]:
        """The bytes that each event allocated minus those that it released: of the host, of devices."""
        memory = self.trace.memory
        return tuple(  # type: ignore[return-value]  # two
            [
                self._by_event(memory["nbytes"][on_device], memory["event"][on_device])
                for on_device in (memory["device"] < 0, memory["device"] >= 0)
            ]
        )

    @cached_property
    def total_bytes(self) -> tuple[Array, Array]:
        """The same, including enclosed events."""
        return self._inclusive(self.self_bytes[0]), self._inclusive(self.self_bytes[1])

    @cached_property
    def self_device_ns(self) -> Array:
        """The duration of the device's work that each event caused directly; of device events, their own."""
        caused = self.is_device & (self.trace.events["link"] >= 0)
        sums = self._by_event(self.total_ns[caused], self.trace.events["link"][caused])
        return np.where(self.is_device, self.total_ns, sums)

    @cached_property
    def total_device_ns(self) -> Array:
        """The same, including enclosed events."""
        return self._inclusive(self.self_device_ns)

    def _inclusive(self, values: Array) -> Array:
        """Return sums over each event and the events that it encloses."""
        if not values.any():
            return values
        values = values.copy()
        for level in range(int(self.depths.max(initial=0)), 0, -1):
            inner = np.flatnonzero(self.depths == level)
            np.add.at(values, self.parents[inner], values[inner])
        return values

    @cached_property
    def depths(self) -> Array:
        """The number of events around each event."""
        depths, above = np.zeros(len(self.trace), np.int32), self.parents.copy()
        while (inside := above >= 0).any():
            depths[inside] += 1
            above[inside] = self.parents[above[inside]]
        return depths

    @cached_property
    def children(self) -> tuple[Array, Array]:
        """All events in the order of their parents, and where those of each parent begin."""
        order = np.argsort(self.parents, kind="stable")
        return order, np.searchsorted(self.parents[order], np.arange(len(self.parents) + 1))

    def shapes(self, signature: int) -> list[list[int]]:
        """Return the shapes of a signature's inputs as lists; [] unless the profile records shapes."""
        shapes = self.trace.signatures[signature].shapes if signature >= 0 and self.has_shapes else None
        return [list(shape) for shape in shapes or ()]

    @cached_property
    def keys(self) -> tuple[list[str], Array]:
        """The keys under which events are averaged, and the place of each event's key."""
        keys = [*self.trace.names, STEP_KEY]
        return keys, np.where(self.kinds == Kind.STEP, len(keys) - 1, self.trace.events["name"])
