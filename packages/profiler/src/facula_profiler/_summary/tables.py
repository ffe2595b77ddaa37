"""Tables of a trace: totals by operator, module or line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._trace.records import Kind
from .columns import WORK, Columns

if TYPE_CHECKING:
    from .._trace.records import Signature
    from .peaks import Peaks

SHOWN_SHAPES = 4  # operands in a description


class Row(NamedTuple):
    """The totals of some events.

    Arguments:
        name: the operator, module or line.
        detail: shapes and dtypes of the operands, or the kind of the events.
        calls: the number of events.
        total: their nanoseconds, on host threads.
        own: the part of `total` outside of the events that they enclose.
        device: nanoseconds of kernels on devices.
        flops: floating-point operations, 0 if unknown.
        nbytes: bytes read and written, 0 if unknown.
        least: the nanoseconds that the machine needs at least for these operations and bytes; 0 if unknown.
        bound: what determines `least`: "arithmetic", "memory", or "" if unknown.
    """

    name: str
    detail: str
    calls: int
    total: int
    own: int
    device: int
    flops: float
    nbytes: float
    least: float
    bound: str

    @property
    def busy(self) -> int:
        """Nanoseconds of the kernels themselves: on devices if there are any, otherwise on the host."""
        return self.device or self.own

    @property
    def efficiency(self) -> float:
        """The share of the roofline that was reached; 0 if unknown. Data in caches may exceed 1."""
        return self.least / self.busy if self.busy else 0.0


def by_operator(columns: Columns, peaks: Peaks, shapes: bool = False) -> list[Row]:
    """Return a row for each operator, or for each operator and signature; the longest first."""
    events, trace = columns.events, columns.trace
    chosen = np.flatnonzero(columns.of(*WORK))
    launch = _launches(columns, chosen)
    key = events["name"][launch].astype(np.int64)
    if shapes:
        key = key * (len(trace.signatures) + 1) + events["signature"][launch] + 1
    first, rows = _grouped(columns, chosen, key, peaks)
    described = [describe(found) for found in trace.signatures]
    for place, row in zip(launch[first].tolist(), rows):
        event = events[place]
        detail = Kind(event["kind"]).name.lower() if event["kind"] in iter(Kind) else ""
        if shapes and event["signature"] >= 0:
            detail = described[event["signature"]]
        row.update(name=trace.names[event["name"]], detail=detail)
    return _sorted(rows)


def by_module(columns: Columns, peaks: Peaks) -> list[Row]:
    """Return a row for each module that launched work; work outside of modules has the name "(outside modules)"."""
    chosen = np.flatnonzero(columns.of(*WORK))
    first, rows = _grouped(columns, chosen, columns.modules[chosen].astype(np.int64), peaks)
    for place, row in zip(chosen[first].tolist(), rows):
        name = columns.modules[place]
        row.update(name="(outside modules)" if name < 0 else columns.trace.names[name], detail="")
    return _sorted(rows)


def by_line(columns: Columns, peaks: Peaks) -> list[Row]:
    """Return a row for each line of the program that launched work, if stacks were recorded."""
    lines, of_event = columns.lines
    chosen = np.flatnonzero(columns.of(*WORK) & (of_event >= 0))
    first, rows = _grouped(columns, chosen, of_event[chosen], peaks)
    for place, row in zip(chosen[first].tolist(), rows):
        row.update(name=lines[of_event[place]], detail="")
    return _sorted(rows)


def describe(signature: Signature) -> str:
    """Return shapes and dtypes of the operands, for people.

    >>> from facula_profiler import Signature
    >>> describe(Signature("linear", ((8, 4), (2, 4), ()), ("float32", "float32", "Scalar")))
    'float32[8, 4] float32[2, 4] number'
    """
    shapes = signature.shapes
    if shapes is None:
        return " ".join(_operand(dtype, None) for dtype in signature.dtypes)
    texts = [_operand(dtype, shape) for dtype, shape in zip(signature.dtypes, shapes)]
    rest = len(texts) - SHOWN_SHAPES
    return " ".join(texts if rest <= 1 else [*texts[:SHOWN_SHAPES], f"and {rest} more"])


def _operand(dtype: str, shape: tuple[int, ...] | None) -> str:
    if dtype == "Scalar":
        return "number"
    return dtype if shape is None else f"{dtype}{list(shape)}"


def _grouped(columns: Columns, chosen: Any, key: Any, peaks: Peaks) -> tuple[Any, list[dict[str, Any]]]:
    """Return the place in `chosen` of each group's first event, and the fields of each group's row."""
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    on_device = columns.in_lanes("device")[chosen]
    calls = ~on_device | (_launches(columns, chosen) == chosen)  # kernels of launches are not counted as calls

    def total(values: Any) -> Any:
        return np.bincount(group, values, len(first))

    flops, nbytes = columns.flops[chosen] * calls, columns.nbytes[chosen] * calls
    moved = np.where(columns.of(Kind.COLLECTIVE)[chosen], 0, nbytes)  # they are limited by the other ranks
    arithmetic, memory = flops / peaks.flops * 1e9, moved / peaks.bandwidth * 1e9
    arithmetic_total, memory_total = total(arithmetic), total(memory)
    fields = {
        "calls": total(calls),
        "total": total(np.where(on_device, 0, columns.lengths[chosen])),
        "own": total(np.where(on_device, 0, columns.self_times[chosen])),
        "device": total(np.where(on_device, columns.lengths[chosen], 0)),
        "flops": total(flops),
        "nbytes": total(nbytes),
        "least": total(np.maximum(arithmetic, memory)),
    }
    rows = [dict(zip(fields, values)) for values in zip(*[column.tolist() for column in fields.values()])]
    for row, one, other in zip(rows, arithmetic_total.tolist(), memory_total.tolist()):
        row.update({name: round(row[name]) for name in ("calls", "total", "own", "device")})
        row["bound"] = "" if not row["least"] else "arithmetic" if one > other else "memory"
    return first, rows


def _launches(columns: Columns, chosen: Any) -> Any:
    """Return, for each of some events, the launch of a kernel on a device, or else the event itself."""
    linked = columns.events["link"][chosen]
    return np.where(columns.in_lanes("device")[chosen] & (linked >= 0), linked, chosen)


def _sorted(rows: list[dict[str, Any]]) -> list[Row]:
    return sorted((Row(**row) for row in rows), key=lambda row: (-row.own - row.device, row.name))
