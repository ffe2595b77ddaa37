"""What an allocator and the backend of a device must offer. Nothing here runs; siblings implement it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

    from ._programs import Program

    Release = Callable[[], object]
    Block = tuple[int, Release]


class Allocator(Protocol):
    """Gives blocks of memory: pairs of an address and a release.

    A release is a C callable without arguments. It never raises, allocates, or takes a lock
    that allocation holds: it may be called from any thread, inside the garbage collector and
    at interpreter exit. Its attribute `nbytes` is the size of the block: what `resize_` may use
    without another one; left out for blocks of no bytes. Blocks are aligned (64 bytes on the host)
    and at least as large as asked.
    """

    def take_for(self, nbytes: int) -> Callable[[], Block]:
        """A function that gives one block at once, or raises IndexError: then call `refill`."""

    def refill(self, nbytes: int) -> Block:
        """One block, by whatever way; MemoryError when there is none.

        While the cyclic garbage collector runs only this may be called, not `take_block`: a block
        released during the collection must not be handed out before it ends, for a finaliser
        of the same dying cycle may still look at it.
        """

    def statistics(self) -> dict[str, int]:
        """Exact figures in bytes and blocks: at least allocated_bytes, allocated_blocks, reserved_bytes."""

    def trim(self) -> int:
        """Give idle memory back to the system; the bytes given back."""

    def tidy(self) -> int:
        """As `trim`, but only what is idle beyond the bound on it, and quick where nothing is: for quiet moments."""


class DeviceBackend(Protocol):
    """What a device knows of its backend: a `Backend`, below the modules that have layouts and plans.

    `plan` takes and gives them, so its types are said by `Backend` alone.
    """

    @property
    def allocator(self) -> Allocator:
        """Where blocks on this device come from."""

    def plan(
        self, operator: str | Program, inputs: tuple[Any, ...], outputs: tuple[Any, ...], parameters: tuple[object, ...]
    ) -> Any:
        """How to compute an operator. Arguments: those of `facula_storage.Backend.plan`."""

    def copy_in(self, address: int, source: Buffer) -> None:
        """Copy a C-contiguous host buffer to this device's memory, in order with its other work."""

    def copy_out(self, address: int, target: Buffer) -> None:
        """Copy this device's memory to a writable C-contiguous host buffer, when all work before is done."""

    def synchronize(self) -> None:
        """Wait for all work; raise what it reported."""
