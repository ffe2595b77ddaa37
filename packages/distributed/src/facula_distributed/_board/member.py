"""This rank's part in the collectives of one group, and the errors of other ranks. Engines move the bytes."""

from __future__ import annotations

import math
import os
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from facula_multiprocessing import SharedMemoryError

from .._errors import DistBackendError, DistTimeoutError, MismatchError, RankError
from .._shm import ffi, lib
from .._turns import turns
from .board import NOT_MINE, NUMBERS, described, numbered
from .lines import program_line
from .totals import Ledger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .letters import Letters
    from .world import World

_SPINS = 2000  # some dozen microseconds; none if ranks would take each other's cores
_NO_MEMORY = -2  # the root of calls of a rank that has no memory for them
NOWHERE = 2**64 - 1
_left: list[Member] = []  # whose stages others may still read


class Member(ABC):
    """This rank in a group. A subclass is an engine: it runs calls and passes messages.

    Arguments:
        world: all ranks.
        group: the group's number.
        ranks: the ranks of its members.
        timeout: seconds for which a collective waits for other ranks.
    """

    def __init__(self, world: World, group: int, ranks: Sequence[int], timeout: float) -> None:
        self.world, self.group, self.ranks, self.timeout = world, group, list(ranks), timeout
        board = world.board
        self._seat = board.take_seat(group, world.rank)
        self._seats = ffi.new("Seat *[]", [board.seat(group, rank) for rank in ranks])
        self._member = ffi.new("Member *")
        self._member.size, self._member.me = len(ranks), self.ranks.index(world.rank)
        self._member.spins = _SPINS if world.neighbours <= len(os.sched_getaffinity(0)) else 0
        self._member.is_polled = turns() is not None
        self._member.seats = self._seats
        self.ledger = Ledger(len(ranks))

    reads_blocks = False  # whether ranks read memory of others: Note [Pieces] in csrc/shm.h

    @abstractmethod
    def new_letters(self) -> Letters:
        """Return the messages of a group with these members."""

    @abstractmethod
    def _begin(self, call: Any) -> object:
        """Take the memory for a call, or raise SharedMemoryError. The result is kept until the call has ended."""

    @abstractmethod
    def _advance(self, call: Any) -> int:
        """Begin or continue a call.

        Returns:
            DONE; MISMATCH or LENGTHS, if ranks call different operations; or AGAIN, several times per second, if it
            waits for the rank `call.other`.
        """

    def leave(self) -> None:
        """Tell waiting ranks that this one takes no further part. The stage remains until all ranks have left."""
        self._seat.has_left = 1
        _left[:] = [member for member in _left if not member._have_all_left()]
        _left.append(self)

    def _have_all_left(self) -> bool:
        return all(self.has_left(rank) for rank in self.ranks if rank in self.world.locals)

    def run(self, call: Any, operation: str, timeout: float | None = None, owners: object = None) -> None:
        """Run a collective.

        Arguments:
            call: its description, a Call of csrc/shm.h.
            operation: the beginning of errors.
            timeout: seconds to wait for other ranks; the group's if None.
            owners: the memory of the call.

        Raises:
            MismatchError: ranks call different operations.
            RankError: a rank failed or ended, or has no memory for the call.
            DistTimeoutError: a rank did not call the operation in time.
            SharedMemoryError: this rank has no memory for the call.
        """
        try:
            kept = self._begin(call)
        except SharedMemoryError:
            self._meet(operation, call.signature, ffi.string(call.where), has_memory=False)
            raise
        status, gone = self._advance(call), None
        if status == lib.AGAIN:
            limit = self.timeout if timeout is None else timeout
            deadline = time.monotonic() + limit
            while status == lib.AGAIN:
                gone = self._check(call, operation, deadline, gone, limit)
                if (others := turns()) is not None:
                    progress = self.group, self._member.number, self._member.phase
                    others.pause(f"waits in {numbered(self.group, self._own_record())}", progress)
                    deadline = math.inf
                status = self._advance(call)
        del kept
        if status != lib.DONE:
            raise self._mismatch(call, operation, status)

    def meet(self, operation: str, detail: int = 0, has_memory: bool = True) -> None:
        """Wait for all members.

        Arguments:
            operation: the name of the program's call.
            detail: a number that all must agree in.
            has_memory: False to make the others raise RankError. Then this rank raises nothing.
        """
        signature: Any = ffi.new("Signature *")
        signature.operation, signature.dtype, signature.reduction = NUMBERS[operation], NOT_MINE, NOT_MINE
        signature.root, signature.shape[0] = -1, detail
        self._meet(operation, signature[0], program_line(), has_memory)

    def _meet(self, operation: str, signature: Any, line: bytes, has_memory: bool) -> None:
        call: Any = ffi.new("Call *")
        call.signature, call.tensor, call.kind = signature, NOWHERE, lib.COPY
        call.where = line
        addresses, lengths = ffi.new("char *[]", len(self.ranks)), ffi.new("uint64_t[]", len(self.ranks))
        call.send, call.receive, call.send_bytes, call.receive_bytes = addresses, addresses, lengths, lengths
        if has_memory:
            self.run(call, operation)
            return
        call.signature.root = _NO_MEMORY
        with suppress(DistBackendError):  # above all the difference from the calls of ranks that have memory
            self.run(call, operation)

    def _check(self, call: Any, operation: str, deadline: float, gone: int | None, limit: float) -> int | None:
        """Raise if the awaited rank will not come; return it if it has ended or left, to look once more."""
        other = self.ranks[call.other]
        self.world.raise_failure(operation)
        now = numbered(self.group, self._own_record())
        if self.world.has_ended(other) or self.has_left(other):
            if gone == other:
                how = "has ended" if self.world.has_ended(other) else "has called destroy_process_group"
                raise RankError(f"{operation}: rank {other} {how}, {self.history(other)}, and misses {now}", other)
            return other
        if time.monotonic() > deadline:
            raise DistTimeoutError(
                f"{operation}: rank {other} did not join {now}, within {limit:g} s; {self.history(other)}; if it "
                "needs longer, give init_process_group a larger timeout"
            )
        return None

    def last_number(self) -> int:
        """Return the number of this rank's last collective in the group."""
        return int(self._member.number)

    def has_left(self, rank: int) -> bool:
        """Return whether a rank of the group is known to have left it."""
        return bool(self.world.board.seat(self.group, rank).has_left)

    def record(self, rank: int, number: int) -> Any:
        """Return the record of a rank's call, with its `signature` and `where`; None if there is none."""
        return self.world.board.record(self.group, rank, number)

    def _own_record(self) -> Any:
        return self.world.board.last_record(self.group, self.world.rank)

    def last_call(self, rank: int) -> tuple[int, Any]:
        """Return the group and the record of the collective that a rank called last; (0, None) before the first."""
        return self.world.board.latest(rank)

    def history(self, rank: int) -> str:
        """Describe what a rank did last."""
        group, record = self.last_call(rank)
        return "before its first collective" if record is None else f"after its {numbered(group, record)}"

    def _mismatch(self, call: Any, operation: str, status: int) -> Exception:
        number, own = self._member.number, self.world.rank
        size = self._member.size
        within = f" of group {self.group}" if self.group else ""
        if status == lib.LENGTHS:
            source, target = (self.ranks[place] for place in divmod(call.other, size))
            places = [described(self.record(rank, number)) for rank in (source, target)]
            return MismatchError(
                f"{operation}: collective {number}{within}: rank {source} sends rank {target} another number of "
                f"elements, in {places[0]}, than it receives, in {places[1]}; make the sizes agree"
            )
        other = self.ranks[call.other]
        record = self.record(other, number)
        if record is not None and record.signature.root == _NO_MEMORY:
            text = f"collective {number}{within}: rank {other} has no shared memory left for {described(record)}"
            return RankError(f"{operation}: {text}; see its error", other)
        calls = [self.record(rank, number) for rank in sorted({own, other})]
        said = [
            f"rank {rank} calls {described(record) if record is not None else 'something else'}"
            for rank, record in zip(sorted({own, other}), calls, strict=True)
        ]
        return MismatchError(
            f"{operation}: collective {number}{within} differs: {'; '.join(said)}; all ranks must call the same "
            "operations in the same order, with the same shapes and dtypes"
        )
