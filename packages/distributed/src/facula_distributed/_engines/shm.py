"""The engine of one machine: collectives in shared memory. Note [Stages] in csrc/shm.h."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_multiprocessing.extend import new_block

from .._board.letters import Letters
from .._board.member import Member
from .._shm import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._board.world import World

_MIN_STAGE = 64 << 10


class SharedMember(Member):
    """This rank in a group of ranks of one machine. Arguments: those of `Member`."""

    reads_blocks = True

    def __init__(self, world: World, group: int, ranks: Sequence[int], timeout: float) -> None:
        super().__init__(world, group, ranks, timeout)
        self._arenas = ffi.new("char *[]", [ffi.cast("char *", world.addresses[rank]) for rank in ranks])
        self._member.arenas = self._arenas
        self._block: Any = None

    def new_letters(self) -> Letters:
        return Letters(self)

    def _begin(self, call: Any) -> object:
        former = self._block  # other ranks may read it until they arrive
        needed = lib.stage_bytes(call, self._member.size)
        if needed > self._member.capacity:
            self._block = new_block(max(_MIN_STAGE, 1 << (needed - 1).bit_length()))
            self._member.stage, self._member.capacity = self._block.offset, self._block.nbytes
        return former

    def _advance(self, call: Any) -> int:
        return int(lib.run(self._member, call))
