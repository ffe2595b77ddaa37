"""Memory of temporaries that the replays of a captured function share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import contiguous, uint8
from facula_storage.extend.memory import allocate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facula_storage import Device, Storage

    from .replay import Replay


class Pool:
    """One block of memory for each device, as large as the largest replay on it requires."""

    def __init__(self) -> None:
        self._arenas: dict[Device, tuple[int, Storage]] = {}

    def share(self, replay: Replay, others: Iterable[Replay]) -> None:
        """Share the memory with a replay. If its size changes, the replays in `others` move to the new block, too."""
        device = replay.device
        users = [other for other in (*others, replay) if not other.has_backward and other.device is device]
        needed = max([user.pool_bytes for user in users], default=0)
        nbytes, arena = self._arenas.get(device, (-1, None))
        if needed != nbytes or arena is None:
            arena = allocate(contiguous((needed,), uint8, device))
            self._arenas[device] = needed, arena
            for user in users:
                user.use(arena)
        elif not replay.has_backward:
            replay.use(arena)
