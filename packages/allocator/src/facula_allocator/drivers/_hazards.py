"""Who used which simulated memory, and whether it may be used again: the checks of a simulated device.

Time is a clock for each stream: how many kernels of every other stream its next kernel is sure to come after. A stream
learns that from an event that it waits for, the host from an event that it sees done and from synchronizing; and all
that is launched later comes after what the host knows.
"""

from __future__ import annotations

from typing import NamedTuple

Clock = dict[int, int]


def merge_clock(clock: Clock, other: Clock) -> None:
    """Make `clock` know what `other` does."""
    for stream, tick in other.items():
        if clock.get(stream, 0) < tick:
            clock[stream] = tick


class Access(NamedTuple):
    """Bytes that a kernel uses, for `owner`: whom the memory was handed to when the kernel was launched."""

    start: int
    end: int
    owner: object
    stream: int
    tick: int
    serial: int

    def meets(self, other: Access) -> bool:
        """Whether both use a byte of the same memory, each for another owner."""
        return self.start < other.end and other.start < self.end and self.owner != other.owner


class Hazards:
    """The kernels launched so far, as far as they may still matter."""

    def __init__(self) -> None:
        self.host: Clock = {}
        self._launched: list[Access] = []
        self._run: list[Access] = []

    def launch(self, access: Access, clock: Clock) -> str | None:
        """Note a launch; what is wrong with it, where memory is reused before its former owner's work is over."""
        for earlier in self._launched:
            if earlier.meets(access) and clock.get(earlier.stream, 0) < earlier.tick:
                return (
                    f"kernel {access.serial} on stream {access.stream} uses [{access.start:#x}, {access.end:#x}) for "
                    f"{access.owner!r}, which kernel {earlier.serial} on stream {earlier.stream} may still use for "
                    f"{earlier.owner!r}: no event orders them"
                )
        self._launched.append(access)
        return None

    def run(self, access: Access, oldest: int) -> str | None:
        """Note that a kernel runs; what is wrong, where its memory was handed on and used by a later launch."""
        self._run = [later for later in self._run if later.serial > oldest]
        for later in self._run:
            if later.serial > access.serial and later.meets(access):
                return (
                    f"kernel {access.serial} on stream {access.stream} runs on [{access.start:#x}, {access.end:#x}) of "
                    f"{access.owner!r} after kernel {later.serial} used it for {later.owner!r}"
                )
        self._run.append(access)
        return None

    def host_learns(self, clock: Clock) -> None:
        """The host knows that all of this is over."""
        merge_clock(self.host, clock)
        self._launched = [one for one in self._launched if self.host.get(one.stream, 0) < one.tick]

    def free(self, start: int, end: int) -> str | None:
        """What is wrong with freeing this memory now, if anything."""
        for earlier in self._launched:
            if earlier.start < end and start < earlier.end:
                return (
                    f"kernel {earlier.serial} on stream {earlier.stream} may still use [{earlier.start:#x}, "
                    f"{earlier.end:#x}) for {earlier.owner!r}: the host has not seen it done"
                )
        return None
