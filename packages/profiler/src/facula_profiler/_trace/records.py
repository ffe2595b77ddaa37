"""The records of a trace: kinds and layouts of events, lanes, frames, signatures."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np


class Kind(IntEnum):
    """The kinds of events."""

    LAUNCH = 1  # an operator's kernel, on the thread that launches it
    RANGE = 2  # a block that the program named with `record_function`
    STEP = 3  # from one `profile.step()` to the next
    MODULE = 4  # a call of a module
    BACKWARD = 5  # the backward rule of one node
    REPLAY = 6  # the replay of a captured function
    KERNEL = 7  # a kernel inside a replay, or on a device
    TASK = 8  # a part of a kernel on a thread of the pool
    WAIT = 9  # a program that waits for its data loader
    FETCH = 10  # a loader worker that reads and collates a batch
    COPY = 11  # a copy between devices
    COLLECTIVE = 12  # communication between processes
    OPTIMIZER = 13  # an optimizer's step
    SYNCHRONIZE = 14  # a wait for a device
    SEGMENT = 15  # memory that an allocator takes from the system or a device, or returns


SIZES = "facula.sizes"  # metadata: addresses of known contents, with pairs (bytes, device)
RESERVED = "facula.reserved"  # metadata: the bytes of each device, -1 for the host, that allocators had at the start
#: One event. Times are in nanoseconds from the beginning of the trace; indices without a target are -1.
EVENT = np.dtype(
    [
        ("start", "i8"),
        ("end", "i8"),
        ("kind", "u1"),  # a `Kind`
        ("name", "i4"),  # index into `Trace.names`
        ("lane", "i4"),  # index into `Trace.lanes`
        ("parent", "i4"),  # the event of the same lane that encloses this one
        ("stack", "i4"),  # index into `Trace.stacks`
        ("signature", "i4"),  # index into `Trace.signatures`
        ("seq", "i8"),  # sequence number: equal for a node and its launch, or -1
        ("link", "i4"),  # the event that caused this one: the launch of a kernel, the forward launch of a node
        ("value", "i8"),  # elements of a launch; bytes of a copy or segment; nanoseconds that a collective waited
    ]
)

#: One allocation or release.
MEMORY = np.dtype(
    [
        ("time", "i8"),  # nanoseconds from the beginning of the trace
        ("address", "i8"),
        ("nbytes", "i8"),  # negative: released
        ("device", "i4"),  # -1: the host; otherwise the index of the device
        ("stack", "i4"),  # index into `Trace.stacks`, or -1
        ("event", "i4"),  # the innermost event of the allocating thread, or -1
    ]
)


class Lane(NamedTuple):
    """A row of the timeline, whose events nest.

    Arguments:
        kind: "python", "pool", "device", "loader", "collective" or "allocator".
        label: the name to show.
        thread: the system's identifier of the thread, 0 if there is none.
    """

    kind: str
    label: str
    thread: int = 0


class Frame(NamedTuple):
    """One call of a stack.

    Arguments:
        file: the path of the source file.
        line: the line.
        function: the qualified name of the function.
        is_library: whether the code belongs to facula rather than to the program.
    """

    file: str
    line: int
    function: str
    is_library: bool = False

    def __str__(self) -> str:
        return f"{self.file}({self.line}): {self.function}"


class Signature(NamedTuple):
    """The operator of launches, and its operands.

    Arguments:
        operator: facula's name of the operator.
        shapes: the shapes of the inputs; an empty tuple for a number, None if the launch serves any shape.
        dtypes: the dtypes of the inputs: "float32", or "Scalar" for a number.
        parameters: the operator's other arguments, as text.
        flops: floating-point operations of a launch; for each element of the first result if `shapes` is None.
        nbytes: bytes that a launch reads and writes; for each element of the first result if `shapes` is None.
    """

    operator: str
    shapes: tuple[tuple[int, ...], ...] | None
    dtypes: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    flops: int = 0
    nbytes: int = 0
