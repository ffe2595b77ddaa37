"""Memory of the launcher, in which ranks keep their state.

Note [Two slots]
~~~~~~~~~~~~~~~~
One file in memory, which the launcher creates and all ranks inherit, contains two slots for each rank:

    Head of each rank (a page: two entries) | slot 0 of rank 0 | slot 1 of rank 0 | slot 0 of rank 1 | ...

A rank writes its slots in turn, so a rank that is killed during a copy leaves the other one. An entry has the number of
the write, once before the copy and once after it: if they differ, the slot is incomplete. Ranks wait for each other
after each copy, so the last step that all have kept is complete on all of them. The launcher finds it when no rank
runs, and makes the other slots invalid. The file is sparse: a slot has `ROOM` bytes, and the pages that were written.
Each of several machines has a file for all ranks, of which its own ranks use their slots.

The first rank of a machine writes first. The others compare their parts with its parts, and do not write equal ones
again: replicated models are kept once per machine.
"""

from __future__ import annotations

import mmap
import os
import struct
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import OperationError
from facula_multiprocessing.extend import reserve

from .._shm import ffi

if TYPE_CHECKING:
    from collections.abc import Sequence

STATE_VARIABLE = "FACULA_STATE"  # the file's descriptor, the world size, and perhaps the step to resume from: "7:4:120"
PAUSE_VARIABLE = "FACULA_KEEP_SECONDS"  # between two copies, if the launcher sends them to another machine
ROOM = 1 << 40
_NAME = "facula-state"
_PAGE = mmap.PAGESIZE
_ENTRY = struct.Struct("=QQqQ")  # begun, ended, step, bytes
_ALIGNMENT = 64
_ELSEWHERE = 1 << 63  # marks the length of a part that is in the slot of the machine's first rank


class Entry(NamedTuple):
    """The contents of a slot: the numbers of its write before and after, the step, and the bytes."""

    begun: int
    ended: int
    step: int
    nbytes: int

    @property
    def is_complete(self) -> bool:
        return self.begun == self.ended > 0


class Slots:
    """The slots of all ranks.

    Arguments:
        fd: the file's descriptor, which `close` closes.
        world: the number of ranks.
    """

    def __init__(self, fd: int, world: int) -> None:
        self.fd, self._world = fd, world
        self._heads = mmap.mmap(fd, world * _PAGE)
        self._mapped: dict[tuple[int, int], mmap.mmap] = {}

    @classmethod
    def create(cls, world: int, fd: int | None = None) -> Slots:
        """Create empty slots, or return those that a former launcher kept in a file.

        Arguments:
            world: the number of ranks.
            fd: the file, perhaps still empty; None for a new one.

        Raises:
            SharedMemoryError: no memory is left.
            OperationError: a limit forbids large files.
        """
        if fd is None:
            fd = os.memfd_create(_NAME, os.MFD_CLOEXEC)
        try:
            os.ftruncate(fd, world * _PAGE + 2 * world * ROOM)
            reserve(fd, 0, world * _PAGE)
            return cls(fd, world)
        except OSError as error:
            os.close(fd)
            raise OperationError(
                f"facula run: expected room for the state of {world} ranks; got: {error.strerror}; raise `ulimit -f`"
            ) from None

    @classmethod
    def inherited(cls) -> tuple[Slots, int | None] | None:
        """Return the slots of this process's launcher, and the step to resume from; None without a launcher's slots."""
        fd, _, rest = os.environ.get(STATE_VARIABLE, "").partition(":")
        world, _, step = rest.partition(":")
        try:
            if _NAME in os.readlink(f"/proc/self/fd/{fd}"):
                return cls(int(fd), int(world)), int(step) if step else None
        except OSError:  # a child of a rank inherits the variables alone
            pass
        return None

    def described(self, step: int | None) -> str:
        """Return the value of `STATE_VARIABLE` for ranks that resume from a step."""
        return f"{self.fd}:{self._world}:{'' if step is None else step}"

    def entry(self, rank: int, slot: int) -> Entry:
        """Return what a slot contains."""
        return Entry(*_ENTRY.unpack_from(self._heads, rank * _PAGE + slot * _ENTRY.size))

    def common_steps(self, ranks: Sequence[int]) -> list[int]:
        """Return the steps that all of some ranks have kept."""
        return sorted(set.intersection(*(self._steps(rank) for rank in ranks)))

    def keep(self, step: int | None) -> None:
        """Make slots of other steps invalid. No rank may run."""
        for rank in range(self._world):
            for slot in (0, 1):
                entry = self.entry(rank, slot)
                if not entry.is_complete or entry.step != step:
                    self._set(rank, slot, Entry(0, 0, -1, 0))

    def _steps(self, rank: int) -> set[int]:
        entries = [self.entry(rank, slot) for slot in (0, 1)]
        return {entry.step for entry in entries if entry.is_complete}

    def _set(self, rank: int, slot: int, entry: Entry) -> None:
        _ENTRY.pack_into(self._heads, rank * _PAGE + slot * _ENTRY.size, *entry)

    def write(self, rank: int, step: int, parts: Sequence[memoryview | bytes], first: int | None = None) -> None:
        """Write to the older slot of a rank.

        Arguments:
            rank: the rank.
            step: the step that it has finished.
            parts: successive bytes; `read` returns the same parts.
            first: the first rank of the machine, if it has written this step: its parts are not written again.

        Raises:
            SharedMemoryError: no memory is left. The other slot is unchanged.
        """
        entries = [self.entry(rank, slot) for slot in (0, 1)]
        slot = 0 if entries[0].ended <= entries[1].ended else 1
        begun = max(entry.begun for entry in entries) + 1
        others = [] if first is None or first == rank else self._parts(first, step)
        places = [_ELSEWHERE * (k < len(others) and _are_equal(part, others[k])) for k, part in enumerate(parts)]
        marked = [memoryview(part).nbytes | place for part, place in zip(parts, places, strict=True)]
        index = struct.pack(f"={len(parts) + 2}Q", len(parts), rank if first is None else first, *marked)
        lengths = [0 if length & _ELSEWHERE else length for length in marked]
        offsets = list(accumulate([len(index), *lengths], lambda offset, length: _up(offset) + length))
        self._set(rank, slot, Entry(begun, 0, step, offsets[-1]))
        memory = self._map(rank, slot, offsets[-1])
        memory[: len(index)] = index
        for part, end, length in zip(parts, offsets[1:], lengths, strict=True):
            if length:
                memory[end - length : end] = part  # type: ignore[assignment]
        self._set(rank, slot, Entry(begun, begun, step, offsets[-1]))

    def read(self, rank: int) -> list[memoryview]:
        """Return the parts that a rank has written last, as read-only views of the slot."""
        return self._parts(rank, max((self.entry(rank, slot) for slot in (0, 1)), key=lambda entry: entry.ended).step)

    def _parts(self, rank: int, step: int) -> list[memoryview]:
        """Return the parts that a rank has kept after a step, or [] if it has not."""
        entries = [self.entry(rank, slot) for slot in (0, 1)]
        slot = next((slot for slot in (0, 1) if entries[slot].is_complete and entries[slot].step == step), None)
        if slot is None:
            return []
        memory = memoryview(self._map(rank, slot, entries[slot].nbytes)).toreadonly()
        count, first = struct.unpack_from("=2Q", memory)
        others = [] if first == rank else self._parts(first, step)
        end, found = (count + 2) * 8, []
        for place, length in enumerate(struct.unpack_from(f"={count}Q", memory, 16)):
            kept = 0 if length & _ELSEWHERE else length
            end = _up(end) + kept
            found.append(others[place] if length & _ELSEWHERE else memory[end - kept : end])
        return found

    def copy(self, rank: int, step: int) -> bytes | None:
        """Return the bytes that a rank, which may run, has kept after a step; None if they were overwritten."""
        for slot in (0, 1):
            entry = self.entry(rank, slot)
            if entry.is_complete and entry.step == step:
                data = bytes(memoryview(self._map(rank, slot, entry.nbytes))[: entry.nbytes])
                return data if self.entry(rank, slot) == entry else None
        return None

    def restore(self, rank: int, step: int, data: bytes) -> None:
        """Make the result of `copy` the only state that a rank has kept. No rank may run."""
        self._map(rank, 0, len(data))[: len(data)] = data
        self._set(rank, 0, Entry(1, 1, step, len(data)))
        self._set(rank, 1, Entry(0, 0, -1, 0))

    def _map(self, rank: int, slot: int, nbytes: int) -> mmap.mmap:
        memory = self._mapped.get((rank, slot))
        if memory is None or len(memory) < nbytes:
            offset = self._world * _PAGE + (2 * rank + slot) * ROOM
            nbytes = -(-nbytes // _PAGE) * _PAGE
            reserve(self.fd, offset, nbytes)
            memory = self._mapped[rank, slot] = mmap.mmap(self.fd, nbytes, offset=offset)
        return memory

    def close(self) -> None:
        """Close the file."""
        os.close(self.fd)


def _are_equal(one: memoryview | bytes, other: memoryview) -> bool:
    first, second = ffi.from_buffer(one), ffi.from_buffer(other)
    return len(first) == len(second) and bool(ffi.buffer(first) == ffi.buffer(second))  # by memcmp


def _up(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT
