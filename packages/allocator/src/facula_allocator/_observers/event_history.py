"""Event history of an allocator: the last events, and the stack that allocated each live block and segment.

Note [The history is quick]: a listener costs microseconds per allocation, because each event becomes an object that is
passed to it. The history receives plain tuples instead. If there are no other listeners, a C function replaces the
core's `take` (csrc/stacks.c). It needs no lock: no Python code runs between draining frees and recording them. Frees
are the rows that the core drains, stored unchanged. Each gets its time from the event after it.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from time import time_ns
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import in_library

from .._core import take_noted
from .stacks import Stack, current_stack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from .._core import Block, Core
    from .._reports.snapshot_types import SnapshotEvent, SnapshotFrame
    from .stacks import StackLines

    Freed: TypeAlias = tuple[int, int, int, int, tuple[int, ...]]  # as `Core.drain` returns them
    Noted: TypeAlias = tuple[str, int, int, int, int, Stack]  # action, time, address, bytes, stream, stack


class EventHistory:
    """The last events of an allocator, and the stacks that allocated live memory. Called under the allocator's lock.

    Arguments:
        frames: the most frames to keep of a stack, innermost first; 0 for none.
        length: the most events to keep.
    """

    __slots__ = ("_events", "_live", "_segments", "frames")

    def __init__(self, frames: int, length: int):
        for name, value, most in (("frames", frames, 64), ("length", length, 1 << 30)):
            if type(value) is not int:
                raise InvalidTypeError(f"record_history: expected {name}, an int; got {value!r:.60}")
            if not 0 <= value <= most:
                raise InvalidValueError(f"record_history: expected {name} from 0 to {most}; got {value}")
        self.frames = frames
        self._events: deque[Freed | Noted] = deque(maxlen=length)
        self._live: dict[int, Stack] = {}
        self._segments: dict[int, Stack] = {}

    def note(self, action: str, address: int, nbytes: int, stream: int) -> None:
        """Record an event. For an "oom", `address` is the device's free bytes."""
        stack: Stack = ()
        if action in ("alloc", "segment_alloc", "segment_map", "oom"):
            stack = current_stack(1, self.frames)
        if action == "alloc":
            self._live[address] = stack
        elif action in ("segment_alloc", "segment_map"):
            self._segments[address] = stack
        elif action in ("segment_free", "segment_unmap"):
            self._segments.pop(address, None)
        elif action == "free_completed":
            self._live.pop(address, None)
        self._events.append((action, time_ns(), address, nbytes, stream, stack))

    def freed(self, rows: Iterable[Freed]) -> None:
        """Record blocks that were freed."""
        pop, append = self._live.pop, self._events.append
        for row in rows:
            append(row)
            if not row[4]:
                pop(row[0], None)

    def recorded_take(self, core: Core) -> Callable[[int, int, int], Block | None]:
        """Return a replacement for `core.take` that records the frees it drains and the block it takes.

        It must be called by a method that the program calls, since it counts frames to find the program's stack.
        """
        return partial(take_noted, core, self._events.append, self._live, self.frames, in_library)

    def forget(self) -> None:
        """Clear the history and the stacks of live memory."""
        self._events.clear()
        self._live.clear()
        self._segments.clear()

    # ---------------------------------------------------------------------------------------------------------- queries
    def block_stack(self, address: int) -> Stack:
        """Return the stack that allocated the block at an address; empty if unknown."""
        return self._live.get(address, ())

    def segment_stack(self, address: int) -> Stack:
        """Return the stack of the allocation that made the allocator take the segment at an address."""
        return self._segments.get(address, ())

    def events(self, lines: StackLines) -> list[SnapshotEvent]:
        """Return the events in the format of snapshots, oldest first."""
        found: list[SnapshotEvent] = []
        time = time_ns()
        for event in reversed(list(self._events)):
            if len(event) == 5:
                address, _, nbytes, stream, uses = event
                if not uses:
                    found.append(_snapshot_event("free_completed", address, nbytes, stream, time, []))
                found.append(_snapshot_event("free_requested", address, nbytes, stream, time, []))
                continue
            action, time, address, nbytes, stream, stack = event
            found.append(_snapshot_event(action, address, nbytes, stream, time, lines.frames(stack)))
        del found[self._events.maxlen :]  # one free may become two events
        found.reverse()
        return found


def _snapshot_event(
    action: str, address: int, nbytes: int, stream: int, time: int, frames: list[SnapshotFrame]
) -> SnapshotEvent:
    shown: SnapshotEvent = {"action": action, "size": nbytes, "stream": stream, "time_us": time // 1000}
    if action == "oom":
        shown["device_free"] = address
    else:
        shown["addr"] = address
    shown["frames"] = frames
    return shown
