"""Hazard checks of a simulated device: which work used which memory, and whether the memory may be reused.

Each stream has a vector clock: for every other stream, the number of kernels that its next kernel is ordered after. A
stream learns these numbers from the events that it waits for. The host learns them from completed events that it
queries, and from synchronizing. Everything launched later is ordered after the work that the host knows to be complete.
"""

from __future__ import annotations

from typing import NamedTuple

Clock = dict[int, int]


def merge_clock(clock: Clock, other: Clock) -> None:
    """Merge the order known to `other` into `clock`."""
    for stream, tick in other.items():
        if clock.get(stream, 0) < tick:
            clock[stream] = tick


class Access(NamedTuple):
    """Bytes that a kernel uses, and the `owner` that the memory belonged to when the kernel was launched."""

    start: int
    end: int
    owner: object
    stream: int
    tick: int
    serial: int

    def meets(self, other: Access) -> bool:
        """Whether both use a common byte of the same memory, for different owners."""
        return self.start < other.end and other.start < self.end and self.owner != other.owner


class Hazards:
    """The kernels launched so far that may still conflict with later work."""

    def __init__(self) -> None:
        self.host: Clock = {}
        self._launched: list[Access] = []
        self._run: list[Access] = []

    def launch(self, access: Access, clock: Clock) -> str | None:
        """Record a launch; return the error if it reuses memory before its former owner's work is complete."""
        for earlier in self._launched:
            if earlier.meets(access) and clock.get(earlier.stream, 0) < earlier.tick:
                return (
                    f"kernel {access.serial} on stream {access.stream} uses [{access.start:#x}, {access.end:#x}) for "
                    f"{access.owner!r}, which kernel {earlier.serial} on stream {earlier.stream} may still use for "
                    f"{earlier.owner!r}; no event orders them"
                )
        self._launched.append(access)
        return None

    def run(self, access: Access, oldest: int) -> str | None:
        """Record that a kernel runs; return the error if a later launch has already used its memory."""
        self._run = [later for later in self._run if later.serial > oldest]
        for later in self._run:
            if later.serial > access.serial and later.meets(access):
                return (
                    f"kernel {access.serial} on stream {access.stream} runs on [{access.start:#x}, {access.end:#x}) of "
                    f"{access.owner!r} after kernel {later.serial} used it for {later.owner!r}; add an event"
                )
        self._run.append(access)
        return None

    def complete_for_host(self, clock: Clock) -> None:
        """Record that the host knows this work to be complete."""
        merge_clock(self.host, clock)
        self._launched = [launch for launch in self._launched if self.host.get(launch.stream, 0) < launch.tick]

    def free(self, start: int, end: int) -> str | None:
        """Return the error of freeing this memory now, or None."""
        for earlier in self._launched:
            if earlier.start < end and start < earlier.end:
                return (
                    f"kernel {earlier.serial} on stream {earlier.stream} may still use [{earlier.start:#x}, "
                    f"{earlier.end:#x}) for {earlier.owner!r}; the host has not seen it done"
                )
        return None
