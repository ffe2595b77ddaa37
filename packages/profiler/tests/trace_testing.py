"""Traces made by hand."""

import numpy as np

from facula_profiler import EVENT, MEMORY, Frame, Kind, Lane, Signature, Trace


def event_array(*rows):
    """Return events from rows (kind, start, end) or (kind, start, end, {field: value})."""
    events = np.zeros(len(rows), EVENT)
    for field in ("parent", "stack", "signature", "seq", "link"):
        events[field] = -1
    for event, (kind, start, end, *others) in zip(events, rows, strict=True):
        event["kind"], event["start"], event["end"] = kind, start, end
        for field, value in (others[0] if others else {}).items():
            event[field] = value
    return events


def training_step():
    """Return a trace: a module's launch, a backward rule with a launch, and a kernel in another lane."""
    events = event_array(
        (Kind.STEP, 0, 1000),
        (Kind.MODULE, 10, 300, {"name": 1, "parent": 0}),
        (Kind.LAUNCH, 20, 120, {"name": 2, "parent": 1, "stack": 0, "signature": 0, "seq": 7, "value": 64}),
        (Kind.BACKWARD, 400, 800, {"name": 3, "parent": 0, "seq": 8, "link": 2}),
        (Kind.LAUNCH, 500, 700, {"name": 4, "parent": 3}),
        (Kind.KERNEL, 510, 690, {"name": 4, "lane": 1, "link": 4}),
    )
    memory = np.zeros(2, MEMORY)
    memory["time"], memory["address"], memory["nbytes"] = (30, 900), (4096, 4096), (256, -256)
    memory["device"], memory["stack"], memory["event"] = -1, (0, -1), (2, -1)
    names = ["step", "Net.fc", "linear", "linear", "matmul"]
    lanes = [Lane("python", "main", 12), Lane("device", "stream 0")]
    stacks = [(Frame("net.py", 3, "Net.forward"), Frame("run.py", 9, "<module>"))]
    signatures = [Signature("linear", ((8, 4), (2, 4), (2,)), ("float32",) * 3, ("true",), 128, 96)]
    categories = [(5, {4096: "parameter"})]
    return Trace(events, memory, names, lanes, stacks, signatures, categories, 3, {"schedule": [1, 2]})
