"""Traces in Chrome's JSON format, which Perfetto and `chrome://tracing` open."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import checked_path, write_file
from .._memory.lifetimes import devices_of
from .._memory.timeline import by_category
from .._trace.records import RESERVED, Kind

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from .._trace.trace import Trace

CATEGORIES = {
    Kind.LAUNCH: "cpu_op", Kind.RANGE: "user_annotation", Kind.STEP: "user_annotation", Kind.MODULE: "python_function",
    Kind.BACKWARD: "cpu_op", Kind.REPLAY: "cpu_op", Kind.KERNEL: "kernel", Kind.COPY: "gpu_memcpy",
    Kind.OPTIMIZER: "user_annotation", Kind.SEGMENT: "allocator",
}  # fmt: skip


def write_chrome_trace(trace: Trace, path: str | os.PathLike[str]) -> None:
    """Write a trace; compressed if the name ends with ".gz"."""
    name = checked_path("export_chrome_trace", path)
    text = json.dumps(chrome_trace(trace), separators=(",", ":"), default=str).encode()
    write_file("export_chrome_trace", path, gzip.compress(text, 4) if name.endswith(".gz") else text)


def chrome_trace(trace: Trace) -> dict[str, Any]:
    """Return a trace in Chrome's format: times in microseconds, a row for each lane, arrows for links."""
    process = trace.metadata.get("process", 0)
    # rows are numbered by threads; lanes without a thread have numbers that no thread has
    rows = [lane.thread or (1 << 22) + number for number, lane in enumerate(trace.lanes)]
    found: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "facula"}}
    ]
    for number, (lane, row) in enumerate(zip(trace.lanes, rows, strict=True)):
        about = {"ph": "M", "pid": process, "tid": row}
        found.append({**about, "name": "thread_name", "args": {"name": f"{lane.label} ({lane.kind})"}})
        found.append({**about, "name": "thread_sort_index", "args": {"sort_index": number}})
    found += _events(trace, process, rows)
    found += _arrows(trace, process, rows)
    found += _memory(trace, process, rows)
    found += _counters(trace, process)
    return {"schemaVersion": 1, **trace.metadata, "displayTimeUnit": "ms", "traceEvents": found}


def _events(trace: Trace, process: int, rows: list[int]) -> Iterator[dict[str, Any]]:
    shown = [list(map(str, stack)) for stack in trace.stacks]
    dims = [
        {
            "Input Dims": [list(shape) for shape in one.shapes or ()], "Input type": list(one.dtypes),
            "Concrete Inputs": list(one.parameters),
        }
        for one in trace.signatures
    ]  # fmt: skip
    for number, event in enumerate(trace.events.tolist()):
        start, end, kind, name, lane, _, stack, signature, seq, _, value = event
        args: dict[str, Any] = {"External id": number, "value": value}
        if kind == Kind.COLLECTIVE and value >= 0:
            args["waited"] = value / 1000  # for other ranks
        if signature >= 0:
            args |= dims[signature]
            if trace.signatures[signature].shapes is not None:
                args["flops"] = trace.signatures[signature].flops
        if seq >= 0:
            args["Sequence number"] = seq
        if stack >= 0:
            args["Call stack"] = shown[stack]
        yield {
            "ph": "X", "cat": CATEGORIES.get(kind, Kind(kind).name.lower()), "name": trace.names[name], "pid": process,
            "tid": rows[lane], "ts": start / 1000, "dur": (end - start) / 1000, "args": args,
        }  # fmt: skip


def _arrows(trace: Trace, process: int, rows: list[int]) -> Iterator[dict[str, Any]]:
    """Yield arrows from forward to backward, and from launches to kernels; not from launches to the pool's tasks."""
    events = trace.events
    for number in np.flatnonzero((events["link"] >= 0) & (events["kind"] != Kind.TASK)).tolist():
        cause = int(events["link"][number])
        kind = "fwdbwd" if events["kind"][number] == Kind.BACKWARD else "ac2g"
        for phase, place in (("s", cause), ("f", number)):
            arrow = {
                "ph": phase, "id": number, "cat": kind, "name": kind, "pid": process,
                "tid": rows[int(events["lane"][place])], "ts": int(events["start"][place]) / 1000,
            }  # fmt: skip
            yield {**arrow, "bp": "e"} if phase == "f" else arrow


def _memory(trace: Trace, process: int, rows: list[int]) -> Iterator[dict[str, Any]]:
    memory = trace.memory
    totals: dict[int, int] = {}
    for time, address, nbytes, device, _, event in memory.tolist():
        totals[device] = totals.get(device, 0) + nbytes
        yield {
            "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": process,
            "tid": rows[int(trace.events["lane"][event])] if event >= 0 else (rows or [0])[0], "ts": time / 1000,
            "args": {"Bytes": nbytes, "Addr": address, "Total Allocated": totals[device], "Device Id": device,
                     "Device Type": int(device >= 0)},
        }  # fmt: skip


def _counters(trace: Trace, process: int) -> Iterator[dict[str, Any]]:
    """Yield the live bytes of each device, as on the page, and the bytes that its allocator has."""
    known = trace.metadata.get(RESERVED)
    before = {str(device): nbytes for device, nbytes in known.items()} if isinstance(known, dict) else {}  # also JSON
    segments = trace.events[trace.events["kind"] == Kind.SEGMENT]
    labels = np.array([lane.label for lane in trace.lanes], object)[segments["lane"]]
    for device in sorted({*devices_of(trace), *map(int, before)}):
        name = "cpu" if device < 0 else f"cuda:{device}"
        curve, changes = by_category(trace, device), segments[labels == name]
        yield from _counter(f"{name} allocated", process, curve.times, curve.nbytes.sum(axis=1))
        if str(device) in before:
            order = np.argsort(changes["end"], kind="stable")
            times = np.concatenate([[0], changes["end"][order]])
            totals = before[str(device)] + np.concatenate([[0], np.cumsum(changes["value"][order])])
            yield from _counter(f"{name} reserved", process, times, totals)


def _counter(name: str, process: int, times: Any, totals: Any) -> Iterator[dict[str, Any]]:
    for time, total in zip(times.tolist(), totals.tolist(), strict=True):
        yield {"ph": "C", "name": name, "pid": process, "ts": time / 1000, "args": {"bytes": total}}
