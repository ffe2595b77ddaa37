"""The protocols of an allocator and of a device's backend, which siblings implement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from ._programs import Program

    Release = Callable[[], object]
    Block = tuple[int, Release]


class Allocator(Protocol):
    """An allocator of blocks of memory: pairs of an address and a release function.

    A release is a C callable without arguments. It never raises, allocates, or takes a lock that allocation holds: it
    may be called from any thread, inside the garbage collector and at interpreter exit. Its attribute `nbytes` is the
    size of the block, up to which `resize_` needs no other block; it is omitted for empty blocks. Blocks are aligned
    (64 bytes on the host) and at least as large as requested.
    """

    def take_for(self, nbytes: int) -> Callable[[], Block]:
        """Return a function that returns a block immediately, or raises IndexError: then call `refill`."""

    def refill(self, nbytes: int) -> Block:
        """Return a block by any means; raise MemoryError if that fails.

        While the cyclic garbage collector runs, only this method may be called, not `take_block`: a block released
        during the collection must not be reused before it ends, because a finalizer of the same garbage cycle may still
        read it.
        """

    def statistics(self) -> dict[str, int]:
        """Return exact numbers of bytes and blocks: at least allocated_bytes, allocated_blocks, reserved_bytes."""

    def trim(self, keep: int = 0) -> int:
        """Return idle memory to the system until about `keep` bytes are idle, and return the number of bytes."""

    def tidy(self) -> int:
        """Return only idle memory beyond its limit to the system, and the number of bytes: fast, for quiet moments."""


class DeviceBackend(Protocol):
    """The part of a `Backend` that devices use, below the modules that define layouts and plans.

    The arguments and results of `plan` are therefore typed only in `Backend`.

    The backends of a type with several devices also have two methods: ``current_index()`` returns the calling thread's
    current device of the type, ``set_index(index)`` changes it. `Device("cuda")` stands for the current one.
    """

    @property
    def allocator(self) -> Allocator:
        """The allocator of blocks on this device."""

    def plan(
        self, operator: str | Program, inputs: tuple[Any, ...], outputs: tuple[Any, ...], parameters: tuple[object, ...]
    ) -> Any:
        """Return a plan to compute an operator. Arguments: those of `facula_storage.Backend.plan`."""

    def copy_in(self, address: int, source: Buffer) -> None:
        """Copy a C-contiguous host buffer to this device's memory, in order with its other work."""

    def copy_out(self, address: int, target: Buffer) -> None:
        """Copy this device's memory to a writable C-contiguous host buffer, after all earlier work."""

    def synchronize(self) -> None:
        """Wait for all work and raise the errors that it reported."""


class PendingLaunch(Protocol):
    """The description of a queued launch that may fail."""

    def error(self, status: int, *details: int) -> Exception:
        """Return the exception for the status and the details that the kernel reported."""
