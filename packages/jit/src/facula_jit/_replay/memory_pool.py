"""Memory of temporaries that the replays of a captured function share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import contiguous, uint8
from facula_storage.extend.memory import allocate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .replay import Replay


class Pool:
    """One block of memory, as large as the largest replay requires."""

    def __init__(self) -> None:
        self._arena = allocate(contiguous((0,), uint8))
        self._nbytes = 0

    def share(self, replay: Replay, others: Iterable[Replay]) -> None:
        """Share the memory with a replay. If its size changes, the replays in `others` move to the new block, too."""
        users = [other for other in (*others, replay) if not other.has_backward]
        needed = max([user.pool_bytes for user in users], default=0)
        if needed != self._nbytes:
            self._nbytes, self._arena = needed, allocate(contiguous((needed,), uint8))
            for user in users:
                user.use(self._arena)
        elif not replay.has_backward:
            replay.use(self._arena)
