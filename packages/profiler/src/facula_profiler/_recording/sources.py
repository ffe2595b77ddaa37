"""Sources: observers of other packages, started and stopped with each recording.

A source is an object with two methods. `start(recorder)` begins to observe and reports events through the recorder, a
`Recorder` below; `stop()` ends it. Sources look up the packages that they observe in `sys.modules`, so that a
recording imports none, and are idle if they are missing. `stop` is called once for each `start` that returned, in
reverse order, in a forked child as well, and for one that Ctrl-C interrupted. A source that fails to start is reported
as a warning; the others continue.

C code reports events by calling the function at the address `recorder.address`:

    void report(int64_t kind, int64_t worker, int64_t start, int64_t end, int64_t value);

It may be called from any thread, with or without the GIL, until `stop` returns. `kind` is a `Kind`, or a label of
`recorder.label`, which also names and describes the event. `worker` is the number of a thread of a pool, a lane from
`recorder.lane`, or -1 for the calling thread. Times are nanoseconds of CLOCK_MONOTONIC. Events without a name are named
after the launch that caused them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import CodeType

    from facula_storage import Plan

    from .._trace.records import Signature


class Recorder(Protocol):
    """The part of a recording that sources use."""

    address: int
    options: Mapping[str, Any]
    """The options of the profile: "with_modules" and "profile_memory", bools, and "activities", a set of names such as
    "CPU"."""
    metadata: dict[str, Any]
    """Values for JSON that the trace contains."""

    def now(self) -> int:
        """Return the nanoseconds of the clock that all records use, CLOCK_MONOTONIC."""

    def name(self, text: str) -> int:
        """Return the number of a name."""

    def lane(self, kind: str, label: str, thread: int = 0) -> int:
        """Return the number of a new lane. Arguments: those of `facula_profiler.Lane`."""

    def event(
        self, kind: int, name: str | int, start: int, end: int, *, lane: int = -1, seq: int = -1, value: int = 0,
        link: int = -1, signature: int = -1, stack: int = -1,
    ) -> int:  # fmt: skip
        """Record an event; return its number for the `link` of others.

        Arguments:
            kind: a `Kind`.
            name: the name, or its number.
            start, end: the times, from `now`.
            lane: the lane, from `lane`; -1 is that of the calling thread.
            seq: a sequence number, or -1. A node is linked to the launch of its operator directly before it. For work
                of a device, the time at which the host queued it, to link it to the launch.
            value: a number whose meaning depends on the kind, such as bytes.
            link: the number of the event that caused this one, or -1.
            signature: the operands, from `signature`.
            stack: the call stack, from `stack`; -1 is that of the calling thread in its own lane, and none in others.
        """

    def signature(self, described: Signature) -> int:
        """Return a number for the operands of events. Sources keep it, since each call returns a new one."""

    def stack(self, code: CodeType, instruction: int) -> int:
        """Return the number of a stack of one frame; -1 if the profile records no stacks."""

    def label(
        self, kind: int, name: str | None = None, plan: Plan | None = None, site: tuple[CodeType, int] | None = None
    ) -> int:  # fmt: skip
        """Return a label for events that C code reports.

        Arguments:
            kind: a `Kind`.
            name: the name; None for that of the launch that caused the event. With a plan: the module.
            plan: the plan of a kernel in a replay, which names and describes it.
            site: the place of the call: a code object and an instruction.
        """

    def begin(self, kind: int, name: str) -> int:
        """Begin an event of the calling thread; return the token that ends it."""

    def end(self, token: int) -> None:
        """End an event. If the recording ends first, it ends the event."""

    def categorize(self, contents: Mapping[int, tuple[str, int, int]]) -> None:
        """Record the contents of memory now, by address.

        Arguments:
            contents: for each address, "parameter", "gradient", "optimizer state" or "input", the bytes, and the
                number of the device, -1 for the host.
        """


class Source(Protocol):
    """An observer of one package."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""

    def stop(self) -> None:
        """Stop observing."""


sources: list[Callable[[], Source]] = []
"""The classes of all sources, or functions that make one, in the order in which they start."""
