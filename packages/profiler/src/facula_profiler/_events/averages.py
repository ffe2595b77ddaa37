"""Sums over events with the same key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors.extend import boundary, html_of

from .._trace.records import Kind
from .formatting import microseconds
from .tables import cells_of, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._trace.records import Frame
    from .columns import Columns

#: The attributes that are sums over events.
SUMS = (
    "count", "cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total",
    "cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage", "self_device_memory_usage", "flops",
)  # fmt: skip

HTML_ROWS = 20  # in notebooks


class FunctionEventAvg:
    """The sums over all events with one key. Times are in microseconds, memory in bytes.

    The properties `cpu_time` and `device_time` are means for a call.
    """

    count: int = 0
    cpu_time_total: float = 0.0
    self_cpu_time_total: float = 0.0
    device_time_total: float = 0.0
    self_device_time_total: float = 0.0
    cpu_memory_usage: int = 0
    self_cpu_memory_usage: int = 0
    device_memory_usage: int = 0
    self_device_memory_usage: int = 0
    flops: int = 0
    is_async = is_remote = is_legacy = False
    node_id = -1
    overload_name = ""

    def __init__(self, key: str) -> None:
        self.key = key
        self.input_shapes: list[list[int]] = []
        self.stack: list[str] = []
        self.is_user_annotation = False
        self.is_top_level = False
        self.use_device: str | None = None

    @property
    def name(self) -> str:
        """The key."""
        return self.key

    @property
    def cpu_time(self) -> float:
        """Microseconds on the host for a call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """Microseconds on devices for a call."""
        return self.device_time_total / self.count if self.count else 0.0

    cuda_time = device_time

    @property
    def cuda_time_total(self) -> float:
        """`device_time_total`."""
        return self.device_time_total

    @property
    def self_cuda_time_total(self) -> float:
        """`self_device_time_total`."""
        return self.self_device_time_total

    @property
    def cpu_time_str(self) -> str:
        """`cpu_time` with a unit."""
        return microseconds(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """`cpu_time_total` with a unit."""
        return microseconds(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """`self_cpu_time_total` with a unit."""
        return microseconds(self.self_cpu_time_total)

    @property
    def device_time_str(self) -> str:
        """`device_time` with a unit."""
        return microseconds(self.device_time)

    @property
    def device_time_total_str(self) -> str:
        """`device_time_total` with a unit."""
        return microseconds(self.device_time_total)

    @property
    def self_device_time_total_str(self) -> str:
        """`self_device_time_total` with a unit."""
        return microseconds(self.self_device_time_total)

    def add(self, other: Any) -> FunctionEventAvg:
        """Add another average's sums, or those of an event."""
        for name in SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} count={self.count} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} self_device_time={self.self_device_time_total_str} "
            f"input_shapes={self.input_shapes} cpu_memory_usage={self.cpu_memory_usage}>"
        )


@boundary
class AverageList(list[FunctionEventAvg]):
    """The averages of a profile, in the order in which their keys first appeared."""

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events on the host, each counted once."""
        return sum([one.self_cpu_time_total for one in self])

    def total_average(self) -> FunctionEventAvg:
        """Return the sums over all keys."""
        return total(self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Return a table with a row for each key.

        Arguments:
            sort_by: an attribute of averages, such as "cpu_time_total", largest first; by default the order of calls.
            row_limit: the largest number of rows; -1 for all.
            max_src_column_width, max_name_column_width, max_shapes_column_width: the largest widths of columns.
            header: a title.
            top_level_events_only: leave out keys whose events are always enclosed by others.
            time_unit: "us", "ms" or "s"; by default the size of each time decides.

        Raises:
            ValueError: no such attribute or unit.
        """
        return table(
            self, sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header,
            top_level_events_only, time_unit,
        )  # fmt: skip

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        cells, totals = cells_of(self, "self_cpu_time_total", HTML_ROWS)
        hidden = [f"{len(self) - HTML_ROWS} more rows"] if len(self) > HTML_ROWS else []
        return html_of([*totals, *hidden], cells[0] if cells else (), cells[1:])


def total(averages: Sequence[FunctionEventAvg]) -> FunctionEventAvg:
    """Return the sums over averages."""
    found = FunctionEventAvg("Total")
    for one in averages:
        found.add(one)
    return found


def average(
    columns: Columns, by_shapes: bool = False, stack_frames: int = 0, places: Sequence[int] | None = None
) -> AverageList:
    """Return the averages of the shown events of a trace, or of the events at some places."""
    trace = columns.trace
    shown = columns.shown if places is None else np.asarray(places, np.intp)
    if not len(shown):
        return AverageList()
    keys, key_of = columns.keys
    groups = key_of[shown].astype(np.int64)
    by_shapes = by_shapes and columns.has_shapes
    if by_shapes:
        shapes = _numbered([one.shapes for one in trace.signatures])
        groups = groups * (len(shapes) + 1) + shapes[trace.events["signature"][shown]]
    if stack_frames > 0:
        frames = [_of_program(stack)[:stack_frames] for stack in trace.stacks]
        tops = _numbered(frames)
        groups = groups * (len(tops) + 1) + tops[trace.events["stack"][shown]]
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    of_host = ~columns.is_device[shown]

    def sums(values: np.ndarray[Any, Any], scale: float = 1) -> list[float]:
        return (np.bincount(inverse, values[shown], len(first)) / scale).tolist()  # type: ignore[no-any-return]

    host = np.zeros(len(trace), bool)
    host[shown] = of_host
    values = [
        sums(np.ones(len(trace))), sums(columns.total_ns * host, 1000), sums(columns.self_ns * host, 1000),
        sums(columns.total_device_ns, 1000), sums(columns.self_device_ns, 1000), sums(columns.total_bytes[0]),
        sums(columns.self_bytes[0]), sums(columns.total_bytes[1]), sums(columns.self_bytes[1]), sums(columns.flops),
    ]  # fmt: skip
    top_level = np.bincount(inverse, trace.events["parent"][shown] < 0, len(first))
    found = AverageList()
    for group in np.argsort(first).tolist():
        place = int(shown[first[group]])
        one = FunctionEventAvg(keys[key_of[place]])
        for name, column in zip(SUMS, values, strict=True):
            setattr(one, name, column[group] if "time" in name else int(column[group]))
        one.is_user_annotation = trace.events["kind"][place] in (Kind.RANGE, Kind.STEP)
        one.is_top_level = bool(top_level[group])
        one.use_device = "cuda" if columns.is_device[place] else None
        signature, stack = trace.events["signature"][place], trace.events["stack"][place]
        if by_shapes:
            one.input_shapes = columns.shapes(signature)
        if stack_frames > 0 and stack >= 0:
            one.stack = list(map(str, frames[stack]))
        found.append(one)
    return found


def _of_program(stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Return a stack without its innermost frames of facula; a stack without other frames as it is."""
    return stack[next((place for place, frame in enumerate(stack) if not frame.is_library), 0) :]


def _numbered(values: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return a number for each value, equal for equal values, and one more for the index -1."""
    known: dict[Any, int] = {}
    places = [known.setdefault(value, len(known)) for value in values]
    return np.array([*places, len(values)], np.int64)
