"""Traces: all events of a recording, as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, html_of

from .files import corrupt, read_archive, records_of, write_archive
from .records import EVENT, MEMORY, Frame, Kind, Lane, Signature

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from .. import Peaks, Summary

    Categories = Sequence[tuple[int, Mapping[int, str]]]


@boundary
class Trace:
    """All events of a recording. Do not change its arrays.

    Events are sorted by lane, then by start, longer ones first: an event's parent precedes it. `events[i]["lane"]` is
    an index into `lanes`, and so on; see `EVENT`, `MEMORY`, `Lane`, `Frame` and `Signature`.

    Arguments:
        events: an array of dtype `EVENT`.
        memory: an array of dtype `MEMORY`, sorted by time.
        names: the names of events.
        lanes: the rows of the timeline.
        stacks: call stacks, the innermost frame first.
        signatures: the operators and operands of launches.
        categories: pairs of a time in nanoseconds and the contents of addresses then: "parameter", "gradient",
            "optimizer state" or "input".
        dropped: the number of events that were overwritten because the buffer was full.
        metadata: values for JSON that describe the recording.

    Raises:
        ValueError: arrays of other dtypes, or indices without a target.

    >>> import numpy as np
    >>> events = np.zeros(1, EVENT)
    >>> events[["parent", "stack", "signature", "seq", "link"]] = -1
    >>> events["kind"], events["end"] = Kind.LAUNCH, 800
    >>> trace = Trace(events, np.zeros(0, MEMORY), ["add"], [Lane("python", "main")])
    >>> trace
    <Trace of 1 event in 1 lane, 0.001 ms>
    """

    events: np.ndarray[Any, np.dtype[np.void]]
    memory: np.ndarray[Any, np.dtype[np.void]]

    def __init__(
        self,
        events: np.ndarray[Any, Any],
        memory: np.ndarray[Any, Any],
        names: Sequence[str],
        lanes: Sequence[Lane],
        stacks: Sequence[tuple[Frame, ...]] = (),
        signatures: Sequence[Signature] = (),
        categories: Categories = (),
        dropped: int = 0,
        metadata: Mapping[str, Any] | None = None,
    ):
        self.events, self.memory = events, memory
        self.names, self.lanes, self.stacks, self.signatures = list(names), list(lanes), list(stacks), list(signatures)
        self.categories = [(time, dict(found)) for time, found in categories]
        self.dropped, self.metadata = dropped, dict(metadata or {})
        self._check()

    def _check(self) -> None:
        """Raise ValueError if an index has no target."""
        for array, dtype, name in ((self.events, EVENT, "events"), (self.memory, MEMORY, "memory")):
            if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
                record = name.upper().rstrip("S")
                raise InvalidValueError(f"Trace: expected {name}, an array of {record} records; got {array!r:.60}")
        count = len(self.events)
        limits = {
            "name": len(self.names), "lane": len(self.lanes), "parent": count, "stack": len(self.stacks),
            "signature": len(self.signatures), "link": count,
        }  # fmt: skip
        for array, fields in ((self.events, limits), (self.memory, {"stack": len(self.stacks), "event": count})):
            for field, limit in fields.items():
                least = 0 if field in ("name", "lane") else -1
                wrong = (array[field] < least) | (array[field] >= limit)
                if wrong.any():
                    place = int(wrong.argmax())
                    raise InvalidValueError(
                        f"Trace: expected {field} of record {place} in [{least}, {limit}); got {array[field][place]}"
                    )
        late = self.events["parent"] >= np.arange(count)
        if late.any():
            place = int(late.argmax())
            raise InvalidValueError(
                f"Trace: expected the parent of event {place} before it; got {self.events['parent'][place]}: sort "
                "events by lane, start and falling end"
            )

    @property
    def duration(self) -> int:
        """Nanoseconds from the first event's start to the last one's end."""
        return int(self.events["end"].max() - self.events["start"].min()) if len(self.events) else 0

    def of_kind(self, *kinds: Kind) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Return the indices of all events of some kinds, in the order of the trace."""
        return np.flatnonzero(np.isin(self.events["kind"], kinds))

    def self_times(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return each event's nanoseconds outside of the events that it encloses."""
        events = self.events
        lengths = events["end"] - events["start"]
        inner = events["parent"] >= 0
        return lengths - np.bincount(events["parent"][inner], lengths[inner], len(events)).astype(np.int64)

    def enclosing(self, *kinds: Kind) -> np.ndarray[Any, np.dtype[np.int32]]:
        """Return the index of the innermost event of some kinds that encloses each event, itself included; -1 if none.

        An event that no such event of its lane encloses belongs to that of the event that caused it, as far as links
        reach: a kernel on a device to the module of its launch, a backward rule to that of the forward operator.
        """
        events = self.events
        found = np.full(len(events), -1, np.int32)
        wanted = np.isin(events["kind"], kinds)
        found[wanted] = np.flatnonzero(wanted)
        found = _inherited(found, events["parent"])
        while True:  # along links, which may cross lanes several times
            linked = (found < 0) & (events["link"] >= 0)
            reached = np.full(len(events), -1, np.int32)
            reached[linked] = found[events["link"][linked]]
            if not (reached >= 0).any():
                return found
            found = _inherited(np.where(found < 0, reached, found), events["parent"])

    def module_paths(self) -> list[str]:
        """Return the name of the innermost module call around each event, as `enclosing` finds it; "" if none."""
        calls = self.enclosing(Kind.MODULE)
        names = np.array([*self.names, ""], object)[np.where(calls < 0, -1, self.events["name"][calls])]
        return names.tolist()  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace to a file that `Trace.load` reads: a zip archive of arrays and JSON."""
        described = {
            "names": self.names, "lanes": self.lanes, "stacks": self.stacks, "signatures": self.signatures,
            "categories": [[time, list(found.items())] for time, found in self.categories], "dropped": self.dropped,
            "metadata": self.metadata,
        }  # fmt: skip
        write_archive("Trace.save", path, described, {"events": self.events, "memory": self.memory})

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Trace:
        """Read a file that `save` wrote.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file is not a trace.
        """
        described, arrays = read_archive("Trace.load", path, ("events", "memory"))
        try:
            return Trace(arrays["events"], arrays["memory"], **records_of(described))
        except Exception as error:  # values in JSON of any type and size
            raise corrupt("Trace.load", path, error) from None

    def summary(self, peaks: Peaks | tuple[float, float] | None = None) -> Summary:
        """Return the bottleneck of the trace with its evidence; see `Summary`."""
        from .. import Summary

        return Summary(self, peaks)

    def export_html(
        self,
        path: str | os.PathLike[str],
        title: str | None = None,
        peaks: Peaks | tuple[float, float] | None = None,
    ) -> None:
        """Write the trace as a page for a browser.

        Arguments:
            path: the file to write.
            title: the title of the page; None: the name of the file.
            peaks: as for `Summary`.
        """
        from .. import export_html

        export_html(self, path, title, peaks)

    def export_memory_timeline(self, path: str | os.PathLike[str], device: str | None = None) -> None:
        """Write live bytes over time in PyTorch's formats; see `export_memory_timeline`."""
        from .. import export_memory_timeline

        export_memory_timeline(self, path, device)

    def __len__(self) -> int:
        return len(self.events)

    def _repr_html_(self) -> str:
        from .. import EventList  # it imports this module

        return html_of([repr(self)[1:-1]]) + EventList(self).key_averages()._repr_html_()

    def __repr__(self) -> str:
        events, lanes = _counted(len(self), "event"), _counted(len(self.lanes), "lane")
        return f"<Trace of {events} in {lanes}, {self.duration / 1e6:.3f} ms>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Trace, (
            self.events, self.memory, self.names, self.lanes, self.stacks, self.signatures, self.categories,
            self.dropped, self.metadata,
        )  # fmt: skip


def check_trace(operation: str, trace: object, name: str = "trace") -> None:
    """Raise TypeError for anything but a trace."""
    if not isinstance(trace, Trace):
        raise InvalidTypeError(
            f"{operation}: expected {name} to be a Trace; got {trace!r:.60}; a profile has one as `trace`, and "
            "Trace.load reads files"
        )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _inherited(found: np.ndarray[Any, Any], parents: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the values of events with those of the nearest parent that has one (0 or more) where they are -1."""
    found, parents = found.copy(), parents.copy()
    while (open_ := (found < 0) & (parents >= 0)).any():
        above = parents[open_]
        found[open_], parents[open_] = found[above], parents[above]
    return found
