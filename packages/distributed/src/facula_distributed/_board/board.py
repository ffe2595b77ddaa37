"""The board: memory in which ranks record their collectives. Note [The board] in csrc/shm.h."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING, Any

from facula_errors import OperationError
from facula_multiprocessing import SharedMemoryError
from facula_multiprocessing.extend import reserve

from .._shm import ffi, lib

if TYPE_CHECKING:
    from collections.abc import Iterator

OPERATIONS = (
    "init_process_group", "new_group", "all_reduce", "all_reduce_coalesced", "broadcast", "reduce", "all_gather",
    "all_gather_coalesced", "all_gather_into_tensor", "reduce_scatter", "reduce_scatter_tensor", "gather", "scatter",
    "all_to_all", "all_to_all_single", "barrier", "monitored_barrier", "all_gather_object", "gather_object",
    "broadcast_object_list", "scatter_object_list", "send", "send_object_list", "DistributedDataParallel",
    "unused_parameters", "ZeroRedundancyOptimizer", "fully_shard",
)  # fmt: skip
NUMBERS = {name: number for number, name in enumerate(OPERATIONS)}
DTYPES = (
    "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128", "bool",
)  # fmt: skip
REDUCTIONS = ("SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR")
MAX_RANKS = 256  # of one machine; limits the size of the board
NOT_MINE = 0xFFFFFFFF  # a dtype that no tensor has, of operations without a tensor


class Board:
    """The board, mapped in this process.

    Arguments:
        fd: the file's descriptor, which the caller keeps.
        world: the number of ranks.
    """

    def __init__(self, fd: int, world: int) -> None:
        self._mapping = mmap.mmap(fd, lib.board_bytes(world))
        self.fd, self.world = fd, world
        self.base: Any = ffi.from_buffer("char[]", self._mapping)
        self.head: Any = ffi.cast("Board *", self.base)

    @classmethod
    def create(cls, world: int) -> Board:
        """Create a board for `world` ranks.

        Raises:
            SharedMemoryError: no memory is left.
        """
        if world > MAX_RANKS:
            raise OperationError(
                f"init_process_group: expected at most {MAX_RANKS} processes on a machine; got {world}; start fewer"
            )
        nbytes = lib.board_bytes(world)
        fd = os.memfd_create("facula-board", os.MFD_CLOEXEC)
        try:
            os.ftruncate(fd, nbytes)
            reserve(fd, 0, lib.seat_offset(world, 0, 0))
            board = cls(fd, world)
        except OSError as error:
            os.close(fd)
            raise SharedMemoryError(
                f"init_process_group: no shared memory for {world} processes ({error.strerror}); raise `ulimit -f`, or "
                "start fewer",
                nbytes,
            ) from None
        board.head.version, board.head.world, board.head.failed = lib.VERSION, world, -1
        return board

    def place(self, rank: int) -> Any:
        """Return where others find a rank."""
        return ffi.cast("Place *", self.base + lib.place_offset(rank))

    def seat(self, group: int, rank: int) -> Any:
        """Return a rank's records in a group; `rank` is that of the whole world."""
        return ffi.cast("Seat *", self.base + lib.seat_offset(self.world, group, rank))

    def take_seat(self, group: int, rank: int) -> Any:
        """Reserve a seat and return it."""
        reserve(self.fd, lib.seat_offset(self.world, group, rank), lib.PAGE)
        seat = self.seat(group, rank)
        seat.is_member = 1
        return seat

    def groups(self) -> list[int]:
        """Return the numbers of all groups."""
        return [*range(self.head.groups), *range(lib.LOCAL, lib.LOCAL + self.head.local)]

    def members(self, group: int) -> list[int]:
        """Return the ranks of a group."""
        return [rank for rank in range(self.world) if self.seat(group, rank).is_member]

    def last_record(self, group: int, rank: int) -> Any:
        """Return a rank's last record in a group, or None."""
        seat = self.seat(group, rank)
        return self.record(group, rank, seat.number) if seat.number else None

    def record(self, group: int, rank: int, number: int) -> Any:
        """Return a rank's record of a collective, or None if it has been overwritten."""
        record = self.seat(group, rank).records[number % lib.RECORDS]
        return record if record.number == number else None

    def latest(self, rank: int) -> tuple[int, Any]:
        """Return the group and the record of the collective that a rank called last; (0, None) before the first."""
        found = [(group, self.last_record(group, rank)) for group in self.groups()]
        called = [pair for pair in found if pair[1] is not None]
        return max(called, key=lambda pair: float(pair[1].begun), default=(0, None))

    def history(self, rank: int) -> str:
        """Describe what a rank does or did last: "after its collective 11, ..."."""
        group, record = self.latest(rank)
        if record is None:
            return "before its first collective"
        return f"{'after' if record.ended else 'in'} its {numbered(group, record)}"

    def running(self, rank: int) -> Iterator[tuple[int, Any]]:
        """Yield the groups and records of the collectives in which a rank is now."""
        for group in self.groups():
            record = self.last_record(group, rank)
            if record is not None and not record.ended:
                yield group, record

    def has_letter(self, rank: int) -> bool:
        """Return whether the message that a rank waits for has arrived, so that the rank itself is late."""
        place = self.place(rank)
        if place.awaited < 0:
            return False
        found = lib.find_letter(self.base, place.awaited, rank, place.awaited_group, place.awaited_tag)
        return bool(found != ffi.NULL)

    def fail(self, rank: int, text: str) -> None:
        """Make all ranks raise RankError, with a text about the rank that failed first."""
        if not self.head.broken:
            data = text.encode(errors="replace")[: lib.TEXT - 1]
            ffi.memmove(self.head.text, data + b"\0", len(data) + 1)
            self.head.failed = rank
        lib.break_board(self.base)

    def failure(self) -> tuple[int, str] | None:
        """Return the rank that failed first and the text about it, or None."""
        if not self.head.broken:
            return None
        return int(self.head.failed), ffi.string(self.head.text).decode(errors="replace")


def described(record: Any) -> str:
    """Describe a call: "all_reduce(float32, shape (1000,), SUM) at train.py:17"."""
    return f"{signature_text(record.signature)} at {ffi.string(record.where).decode(errors='replace')}"


def reason_of(place: Any) -> str:
    """Return why a rank is slow now, as it says; "" if it does not."""
    return str(ffi.string(place.reason).decode(errors="replace"))


def signature_text(signature: Any) -> str:
    """Describe an operation and its tensor."""
    parts = []
    if signature.dtype != NOT_MINE:
        shape = tuple([int(signature.shape[axis]) for axis in range(min(signature.ndim, lib.DIMENSIONS))])
        parts += [DTYPES[signature.dtype], f"shape {shape}"]
    if signature.reduction < len(REDUCTIONS):
        parts.append(REDUCTIONS[signature.reduction])
    if signature.root >= 0:
        parts.append(f"rank {signature.root}")
    name = OPERATIONS[signature.operation]
    return f"{name}({', '.join(parts)})" if parts else name


def numbered(group: int, record: Any) -> str:
    """Describe a call with its number: "collective 51, all_reduce(...) at train.py:17"."""
    within = f" of group {group}" if group else ""
    return f"collective {record.number}{within}, {described(record)}"
