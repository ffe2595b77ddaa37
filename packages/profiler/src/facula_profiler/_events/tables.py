"""Tables of averages as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError

from .formatting import UNITS, microseconds, one_line, share, size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SORTED_BY = (
    "cpu_time", "device_time", "cuda_time", "cpu_time_total", "device_time_total", "cuda_time_total",
    "self_cpu_time_total", "self_device_time_total", "self_cuda_time_total", "cpu_memory_usage", "device_memory_usage",
    "self_cpu_memory_usage", "self_device_memory_usage", "count", "flops",
)  # fmt: skip


def check_count(operation: str, name: str, value: object) -> None:
    """Raise TypeError for anything but an integer."""
    if not isinstance(value, int):
        raise InvalidTypeError(f"{operation}: expected {name} to be an integer; got {value!r:.60}")


def table(
    averages: Sequence[Any],
    sort_by: str | None = None,
    row_limit: int = 100,
    max_src_column_width: int = 75,
    max_name_column_width: int = 55,
    max_shapes_column_width: int = 80,
    header: str | None = None,
    top_level_events_only: bool = False,
    time_unit: str | None = None,
) -> str:
    """Return a table of averages; see `AverageList.table`."""
    cells, totals = cells_of(
        averages, sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width,
        top_level_events_only, time_unit,
    )  # fmt: skip
    if not cells:
        return ""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = "  ".join(["-" * width for width in widths])
    lines = ["  ".join([text.rjust(width) for text, width in zip(row, widths, strict=True)]) for row in cells]
    found = [*([header.center(len(rule)).rstrip()] if header else []), rule, lines[0], rule, *lines[1:], rule]
    return "\n".join([*found, *totals]) + "\n"


def cells_of(
    averages: Sequence[Any],
    sort_by: str | None = None,
    row_limit: int = 100,
    max_src_column_width: int = 75,
    max_name_column_width: int = 55,
    max_shapes_column_width: int = 80,
    top_level_events_only: bool = False,
    time_unit: str | None = None,
) -> tuple[list[list[str]], list[str]]:
    """Return the titles and rows of a table of averages, and lines of totals; both empty without averages."""
    if sort_by is not None and sort_by not in SORTED_BY:
        raise InvalidValueError(f"table: expected sort_by to be one of {', '.join(SORTED_BY)}; got {sort_by!r:.60}")
    if time_unit is not None and time_unit not in UNITS:
        raise InvalidValueError(f"table: expected time_unit to be us, ms or s, or None; got {time_unit!r:.60}")
    check_count("table", "row_limit", row_limit)
    if not averages:
        return [], []
    cpu = sum([one.self_cpu_time_total for one in averages])
    device = sum([one.self_device_time_total for one in averages if one.use_device is not None])
    rows = [one for one in averages if one.is_top_level or not top_level_events_only]
    if sort_by is not None:
        rows = sorted(rows, key=lambda one: getattr(one, sort_by), reverse=True)
    rows = rows[:row_limit] if row_limit >= 0 else rows

    def clipped(text: str, width: int) -> str:
        text = one_line(text)
        return text if len(text) <= width else text[: max(width - 3, 0)] + "..."

    def time(value: float) -> str:
        return microseconds(value, time_unit)

    columns: list[tuple[str, Callable[[Any], str]]] = [
        ("Name", lambda one: clipped(one.key, max_name_column_width)),
        ("Self CPU %", lambda one: share(one.self_cpu_time_total, cpu)),
        ("Self CPU", lambda one: time(one.self_cpu_time_total)),
        ("CPU total %", lambda one: share(one.cpu_time_total, cpu)),
        ("CPU total", lambda one: time(one.cpu_time_total)),
        ("CPU time avg", lambda one: time(one.cpu_time)),
    ]
    if device:
        columns += [
            ("Self CUDA", lambda one: time(one.self_device_time_total)),
            ("Self CUDA %", lambda one: share(one.self_device_time_total, device)),
            ("CUDA total", lambda one: time(one.device_time_total)),
            ("CUDA time avg", lambda one: time(one.device_time)),
        ]
    if any([one.self_cpu_memory_usage or one.cpu_memory_usage for one in averages]):
        columns += [
            ("CPU Mem", lambda one: size(one.cpu_memory_usage)),
            ("Self CPU Mem", lambda one: size(one.self_cpu_memory_usage)),
        ]
    if any([one.self_device_memory_usage or one.device_memory_usage for one in averages]):
        columns += [
            ("CUDA Mem", lambda one: size(one.device_memory_usage)),
            ("Self CUDA Mem", lambda one: size(one.self_device_memory_usage)),
        ]
    columns.append(("# of Calls", lambda one: str(one.count)))
    if any([one.input_shapes for one in averages]):
        columns.append(("Input Shapes", lambda one: clipped(str(one.input_shapes), max_shapes_column_width)))
    if any([one.stack for one in averages]):
        source = max_src_column_width
        columns.append(("Source Location", lambda one: clipped(one.stack[0] if one.stack else "", source)))
    if any([one.flops for one in averages]):
        columns.append(("Total MFLOPs", lambda one: f"{one.flops / 1e6:.3f}" if one.flops else "--"))

    cells = [[title for title, _ in columns], *[[show(one) for _, show in columns] for one in rows]]
    totals = [f"Self CPU time total: {time(cpu)}"]
    if device:
        totals.append(f"Self CUDA time total: {time(device)}")
    return cells, totals
