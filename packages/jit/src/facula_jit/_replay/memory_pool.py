"""Memory of temporaries: frames, and the memory that the replays of a captured function share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import contiguous, uint8
from facula_storage.extend.memory import allocate, exchange_idle_memory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from weakref import ref

    from facula_storage import Device, Layout, Storage
    from facula_storage.extend.replay import Sequence

    from .._autograd.recorded_backward import FrameLease
    from .lowering import Lowered
    from .replay import Replay

EXCHANGED_FROM = 1 << 20  # bytes: smaller blocks are not worth a trim


class Frame:
    """Memory of temporaries, with the sequences that use it. `lease` is a dead reference if the memory is free."""

    __slots__ = ("arena", "backwards", "forward", "lease", "lowered")

    def __init__(self, arena: Storage, forward: Sequence, backwards: list[Sequence], lowered: Lowered):
        self.arena, self.forward, self.backwards, self.lowered = arena, forward, backwards, lowered
        self.lease: ref[FrameLease] | None = None


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
        _exchange(device, nbytes)


def new_arena(layout: Layout) -> Storage:
    """Return new memory, in place of idle memory."""
    _exchange(layout.device, layout.extent)
    return allocate(layout)


def _exchange(device: Device, nbytes: int) -> None:
    """Return as much idle memory to the system, for large blocks."""
    if nbytes >= EXCHANGED_FROM:
        exchange_idle_memory(device.backend, nbytes)
