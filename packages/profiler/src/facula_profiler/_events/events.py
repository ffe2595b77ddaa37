"""`EventList` and `FunctionEvent`: the events of a trace, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._files import checked_path, write_file
from .._trace.records import Kind
from .averages import average, total
from .chrome import write_chrome_trace
from .columns import Columns
from .formatting import microseconds
from .tables import check_count, table

if TYPE_CHECKING:
    import os

    from .._trace.trace import Trace
    from .averages import AverageList, FunctionEventAvg


class DeviceType(Enum):
    """Where an event ran."""

    CPU, CUDA = range(2)


class Interval(NamedTuple):
    """A time range in microseconds from the beginning of the trace."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """Return the length."""
        return self.end - self.start


@boundary
class EventList(Sequence["FunctionEvent"]):
    """The events of a trace, in the order of threads and times. Event objects are made on use.

    >>> from facula_profiler import profile, record_function
    >>> with profile() as prof, record_function("load"):
    ...     pass
    >>> [event.name for event in prof.events()]
    ['load']
    """

    def __init__(self, trace: Trace):
        self.trace = trace
        self._columns = Columns(trace)

    def __len__(self) -> int:
        return len(self._columns.shown)

    @overload
    def __getitem__(self, place: int) -> FunctionEvent: ...
    @overload
    def __getitem__(self, place: slice) -> list[FunctionEvent]: ...

    def __getitem__(self, place: int | slice) -> FunctionEvent | list[FunctionEvent]:
        shown = self._columns.shown
        if isinstance(place, slice):
            return [FunctionEvent(self._columns, number) for number in shown[place].tolist()]
        return FunctionEvent(self._columns, int(shown[place]))

    def __repr__(self) -> str:
        return f"<EventList of {len(self)} events>"

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events on the host, each counted once."""
        shown = self._columns.shown
        return float(self._columns.self_ns[shown][~self._columns.is_device[shown]].sum()) / 1000

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> AverageList:
        """Return the sums over events with the same key.

        Arguments:
            group_by_input_shapes: distinguish shapes of inputs, for which `record_shapes` is needed.
            group_by_stack_n: distinguish the innermost frames of the program in stacks, up to this number.
            group_by_overload_name: accepted for PyTorch's programs; operators have no overloads here.
        """
        check_count("key_averages", "group_by_stack_n", group_by_stack_n)
        return average(self._columns, group_by_input_shapes, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        """Return the sums over all events."""
        return total(self.key_averages())

    def table(self, sort_by: str | None = None, row_limit: int = 100, **options: Any) -> str:
        """Return a table of all events. Arguments are those of `AverageList.table`."""
        check_count("table", "row_limit", row_limit)
        return table([average(self._columns, places=[place])[0] for place in self._columns.shown[:row_limit].tolist()],
                     sort_by, row_limit, **options)  # fmt: skip

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write JSON for Perfetto and Chrome; compressed if the name ends with ".gz"."""
        write_chrome_trace(self.trace, path)

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Write a line for each stack, with the sum of a metric, as flame graph programs read them.

        Arguments:
            path: the path of the file.
            metric: "self_cpu_time_total" or "self_cuda_time_total", in microseconds.
        """
        metrics = ("self_cpu_time_total", "self_cuda_time_total", "self_device_time_total")
        if metric not in metrics:
            raise InvalidTypeError(f"export_stacks: expected metric to be one of {metrics}; got {metric!r:.60}")
        checked_path("export_stacks", path)
        columns = self._columns
        values = columns.self_ns if metric == metrics[0] else columns.self_device_ns
        sums: dict[int, int] = {}
        for place in columns.shown.tolist():
            stack = int(self.trace.events["stack"][place])
            if stack >= 0 and values[place] > 0:
                sums[stack] = sums.get(stack, 0) + int(values[place])
        lines = [
            ";".join([str(frame).translate(_SEPARATORS) for frame in reversed(self.trace.stacks[stack])])
            + f" {value // 1000}\n"
            for stack, value in sums.items()
        ]
        write_file("export_stacks", path, "".join(lines).encode())


_SEPARATORS = str.maketrans({";": "_", " ": "_", "\n": "_"})


class FunctionEvent:
    """One event. Times are in microseconds, memory in bytes.

    Attributes have PyTorch's names: `name`, `key`, `count`, `time_range`, `thread`, `cpu_parent`, `cpu_children`,
    `input_shapes`, `stack`, `flops`, `sequence_nr`, and sums such as `cpu_time_total`.
    """

    __slots__ = ("_columns", "id")

    count = 1
    is_async = is_remote = is_legacy = False
    node_id = -1
    overload_name = ""
    trace_name = None

    def __init__(self, columns: Columns, id: int):
        self._columns, self.id = columns, id

    def _of(self, field: str) -> int:
        return int(self._columns.trace.events[field][self.id])

    @property
    def kind(self) -> Kind:
        """The kind of the event."""
        return Kind(self._of("kind"))

    @property
    def name(self) -> str:
        """The name: of a launch, that of the operator."""
        return self._columns.trace.names[self._of("name")]

    @property
    def key(self) -> str:
        """The key under which it is averaged: the name, without the number of a step."""
        keys, place = self._columns.keys
        return keys[place[self.id]]

    @property
    def is_user_annotation(self) -> bool:
        """Whether the program named the event."""
        return self.kind in (Kind.RANGE, Kind.STEP)

    @property
    def device_type(self) -> DeviceType:
        """Where the event ran."""
        return DeviceType.CUDA if self._columns.is_device[self.id] else DeviceType.CPU

    @property
    def use_device(self) -> str | None:
        """The type of the device, or None for the host."""
        return "cuda" if self._columns.is_device[self.id] else None

    @property
    def thread(self) -> int:
        """The number of the thread or other lane."""
        return self._of("lane")

    @property
    def sequence_nr(self) -> int:
        """The sequence number, equal for a forward launch and its backward rule, or -1."""
        return self._of("seq")

    @property
    def time_range(self) -> Interval:
        """The time in microseconds from the beginning of the trace."""
        return Interval(self._of("start") / 1000, self._of("end") / 1000)

    @property
    def cpu_parent(self) -> FunctionEvent | None:
        """The innermost event around it, or None."""
        parent = self._of("parent")
        return FunctionEvent(self._columns, parent) if parent >= 0 else None

    @property
    def cpu_children(self) -> list[FunctionEvent]:
        """The events directly inside it."""
        order, begins = self._columns.children
        return [FunctionEvent(self._columns, one) for one in order[begins[self.id] : begins[self.id + 1]].tolist()]

    @property
    def input_shapes(self) -> list[list[int]]:
        """The shapes of inputs; empty for numbers, and without `record_shapes`."""
        return self._columns.shapes(self._of("signature"))

    @property
    def concrete_inputs(self) -> list[str]:
        """The operator's other arguments, as text."""
        place = self._of("signature")
        return [] if place < 0 else list(self._columns.trace.signatures[place].parameters)

    @property
    def stack(self) -> list[str]:
        """The call stack, innermost frame first."""
        place = self._of("stack")
        return [] if place < 0 else list(map(str, self._columns.trace.stacks[place]))

    @property
    def flops(self) -> int:
        """Floating-point operations."""
        return int(self._columns.flops[self.id])

    @property
    def cpu_time_total(self) -> float:
        """Microseconds on the host."""
        return 0.0 if self._columns.is_device[self.id] else float(self._columns.total_ns[self.id]) / 1000

    cpu_time = cpu_time_total

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds on the host outside of inner events."""
        return 0.0 if self._columns.is_device[self.id] else float(self._columns.self_ns[self.id]) / 1000

    @property
    def device_time_total(self) -> float:
        """Microseconds of work on devices that it and inner events caused."""
        return float(self._columns.total_device_ns[self.id]) / 1000

    device_time = cuda_time = cuda_time_total = device_time_total

    @property
    def self_device_time_total(self) -> float:
        """Microseconds of work on devices that it caused directly."""
        return float(self._columns.self_device_ns[self.id]) / 1000

    self_cuda_time_total = self_device_time_total

    @property
    def cpu_memory_usage(self) -> int:
        """Bytes of the host that it and inner events allocated, minus those that they released."""
        return int(self._columns.total_bytes[0][self.id])

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes of the host that it allocated, minus those that it released."""
        return int(self._columns.self_bytes[0][self.id])

    @property
    def device_memory_usage(self) -> int:
        """Bytes of devices that it and inner events allocated, minus those that they released."""
        return int(self._columns.total_bytes[1][self.id])

    @property
    def self_device_memory_usage(self) -> int:
        """Bytes of devices that it allocated, minus those that it released."""
        return int(self._columns.self_bytes[1][self.id])

    @property
    def cpu_time_str(self) -> str:
        """`cpu_time` with a unit."""
        return microseconds(self.cpu_time)

    cpu_time_total_str = cpu_time_str

    @property
    def self_cpu_time_total_str(self) -> str:
        """`self_cpu_time_total` with a unit."""
        return microseconds(self.self_cpu_time_total)

    @property
    def device_time_str(self) -> str:
        """`device_time` with a unit."""
        return microseconds(self.device_time)

    device_time_total_str = device_time_str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionEvent) and (other._columns, other.id) == (self._columns, self.id)

    def __hash__(self) -> int:
        return hash((id(self._columns), self.id))

    def __repr__(self) -> str:
        when = self.time_range
        return (
            f"<FunctionEvent id={self.id} name={self.name} device_type={self.device_type} cpu_time={self.cpu_time_str} "
            f"start_us={when.start} end_us={when.end} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} seq_nr={self.sequence_nr}>"
        )
