"""Memory for temporaries, which the replays of a captured function share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import contiguous, uint8
from facula_storage.extend import allocate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .replay import Replay


class Pool:
    """One block of memory, of what the largest replay asks for."""

    def __init__(self) -> None:
        self._arena = allocate(contiguous((0,), uint8))
        self._nbytes = 0

    def share(self, replay: Replay, others: Iterable[Replay]) -> None:
        """Let a replay use the memory; `others` use it already, and move with it where it gets another size."""
        users = [one for one in (*others, replay) if not one.has_backward]
        needed = max([one.pool_bytes for one in users], default=0)
        if needed != self._nbytes:
            self._nbytes, self._arena = needed, allocate(contiguous((needed,), uint8))
            for one in users:
                one.use(self._arena)
        elif not replay.has_backward:
            replay.use(self._arena)
