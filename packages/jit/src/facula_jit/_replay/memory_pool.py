"""Memory of temporaries that the replays of a captured function share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import contiguous, uint8

from .arenas import exchange, new_arena

if TYPE_CHECKING:
    from collections.abc import Iterable

    from facula_storage import Device, Storage

    from .replay import Replay


class Pool:
    """One block of memory for each device, as large as the largest replay on it requires.

    It exists from the first replay on, and not while the function itself runs, which takes memory of its own. The
    idle blocks of such a run are returned to the system before, and the memory of replays after it.
    """

    def __init__(self) -> None:
        self._arenas: dict[Device, tuple[int, Storage]] = {}

    def share(self, replay: Replay, replays: Iterable[Replay]) -> None:
        """Provide a replay with memory that it shares with others in `replays`, which lose theirs if its size
        changes.
        """
        device = replay.device
        users = [other for other in replays if not other.has_backward and other.device is device]
        needed = max([user.pool_bytes for user in users], default=0)
        if device in self._arenas and self._arenas[device][0] != needed:
            self._release(device, users)
        if device not in self._arenas:
            self._arenas[device] = needed, new_arena(contiguous((needed,), uint8, device))
        replay.use(self._arenas[device][1])

    def release(self, replays: Iterable[Replay]) -> None:
        """Release all memory that no earlier result of these replays needs."""
        replays = list(replays)
        for device in list(self._arenas):
            self._release(device, [replay for replay in replays if replay.device is device])

    def _release(self, device: Device, users: Iterable[Replay]) -> None:
        for user in users:
            user.release_memory()
        nbytes = self._arenas.pop(device)[0]
        exchange(device, nbytes)
