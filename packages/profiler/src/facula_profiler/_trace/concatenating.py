"""Several traces as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .records import RESERVED
from .trace import Trace

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def concatenate(traces: Sequence[Trace]) -> Trace:
    """Return one trace with the events of several, whose times are those of the first."""
    began = traces[0].metadata.get("began_utc_ns", 0)
    names, lanes, stacks, signatures = _Merged(), _Merged(), _Merged(), _Merged()
    events, memory, categories, count = [], [], [], 0
    for trace in traces:
        later = trace.metadata.get("began_utc_ns", began) - began
        found, changes = trace.events.copy(), trace.memory.copy()
        for field, merged, values in (
            ("name", names, trace.names), ("lane", lanes, trace.lanes), ("stack", stacks, trace.stacks),
            ("signature", signatures, trace.signatures),
        ):  # fmt: skip
            places = merged.places(values)
            found[field] = places[found[field]]
            if field == "stack":
                changes[field] = places[changes[field]]
        for array, fields in ((found, ("parent", "link")), (changes, ("event",))):
            for field in fields:
                array[field][array[field] >= 0] += count
        for array, fields in ((found, ("start", "end")), (changes, ("time",))):
            for field in fields:
                array[field] += later
        events.append(found)
        memory.append(changes)
        categories += [(time + later, contents) for time, contents in trace.categories]
        count += len(found)
    together = np.concatenate(events)
    order = np.argsort(together["lane"], kind="stable")  # within a lane, later traces follow
    moved = np.empty(count + 1, np.int32)
    moved[order], moved[-1] = np.arange(count), -1
    together = together[order]
    for field in ("parent", "link"):
        together[field] = moved[together[field]]
    changes = np.concatenate(memory)
    changes["event"] = moved[changes["event"]]
    metadata = {key: value for key, value in traces[-1].metadata.items() if key != RESERVED}  # unknown in between
    return Trace(
        together, changes, names.values, lanes.values, stacks.values, signatures.values, categories,
        sum([trace.dropped for trace in traces]), metadata,
    )  # fmt: skip


class _Merged:
    """Values without repetitions."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    @property
    def values(self) -> list[Any]:
        return list(self._known)

    def places(self, values: Sequence[Hashable]) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Return the index of each value among all, and -1 for the index -1."""
        known = self._known
        return np.array([*[known.setdefault(value, len(known)) for value in values], -1], np.int32)
