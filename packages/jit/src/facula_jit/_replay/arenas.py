"""Memory of temporaries, which takes the place of idle memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage.extend.memory import allocate, exchange_idle_memory

if TYPE_CHECKING:
    from facula_storage import Device, Layout, Storage

EXCHANGED_FROM = 1 << 20  # bytes: smaller blocks are not worth a trim


def new_arena(layout: Layout) -> Storage:
    """Return new memory, in place of idle memory."""
    exchange(layout.device, layout.extent)
    return allocate(layout)


def exchange(device: Device, nbytes: int) -> None:
    """Return as much idle memory to the system, for large blocks."""
    if nbytes >= EXCHANGED_FROM:
        exchange_idle_memory(device.backend, nbytes)
