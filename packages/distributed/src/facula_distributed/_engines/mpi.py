"""The engine of ranks that exchange bytes with MPI.

Note [Packets]
~~~~~~~~~~~~~~
At the beginning of a call each rank sends all others a packet: the signature of the call, the program's line, and the
data itself if it is small. So all ranks compare the calls, as in shared memory, before any tensor is changed, and a
small call needs nothing else. Larger data follow: copies go from rank to rank. Of a reduction, each rank receives a
slice from all others, adds the values in rank order, and sends the sums. So results have the same bits as in shared
memory.

All messages go from one rank to another, and ranks wait for them with tests and pauses. So the program can be
interrupted, knows which rank is late, and leaves the cores to others.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from .._board.member import Member
from .._errors import DistBackendError, DistTimeoutError, MismatchError, RankError
from .._shm import ffi, lib
from .messages import MpiLetters
from .requests import DATA, NOTE, PACKET, RESULT, Request, Requests, address_of

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import TypeAlias

    from .._board.world import World
    from .start import Mpi

    # A call in progress yields requests to wait for, or a rank that it waits for otherwise; it returns a status.
    Steps: TypeAlias = Generator[list[Request] | int, None, Any]

_EAGER, _ALL_EAGER = 8192, 1 << 16  # bytes of data in a packet, and in the packets of all ranks
_WINDOW = 1 << 21  # bytes of a tensor that are reduced in a round
_GRACE_SECONDS = 1.0  # for a rank of another machine to tell whom it waits for
_HEAD = ffi.sizeof("Head")
_SIGNATURE = ffi.sizeof("Signature")


def up(nbytes: int) -> int:
    """Round up to whole cache lines."""
    return -(-nbytes // 64) * 64


def copy(target: int, source: int, nbytes: int) -> None:
    """Copy bytes from an address to another."""
    ffi.memmove(ffi.cast("char *", target), ffi.cast("char *", source), nbytes)


class Piece(NamedTuple):
    """A part of a tensor.

    Fields:
        address: where it is in this rank's memory.
        nbytes: its length.
    """

    address: int
    nbytes: int


class MpiMember(Member):
    """This rank in a group.

    Arguments: those of `Member`, and
        mpi: the MPI library.
    """

    def __init__(self, world: World, group: int, ranks: Sequence[int], timeout: float, mpi: Mpi) -> None:
        super().__init__(world, group, ranks, timeout)
        self.size, self.me = len(ranks), int(self._member.me)
        self._mpi = mpi
        self.requests = self._new_requests()
        self._eager = min(_EAGER, up(_ALL_EAGER // self.size))
        self._data_offset = up(_HEAD + 16 * self.size)  # after the lengths of parts, sent and received
        self._room = self._data_offset + self._eager  # of a packet
        self._packets = ffi.new("char[]", self.size * self._room)
        self._base = address_of(self._packets)
        self._heads = [ffi.cast("Head *", self._packets + k * self._room) for k in range(self.size)]
        self._stage: Any = None
        self._steps: Steps | None = None
        self._left: set[int] = set()
        self._is_told = False  # of a failure, by a rank of another machine
        self._kept: list[object] = []  # memory of calls that failed, to which MPI may still write

    # --------------------------------------------------------------------------------------------- calls of the engine
    def new_letters(self) -> MpiLetters:
        return MpiLetters(self, self._new_requests())

    def _new_requests(self) -> Requests:
        return Requests(self._mpi, self.ranks, self.world.number, self.group, bool(self._member.spins))

    def leave(self) -> None:
        super().leave()
        with suppress(DistBackendError):
            self._read_notes("destroy_process_group")  # from ranks that have left and may have ended
            self._tell_others("")

    def _tell_others(self, text: str, rank: int = -1, is_late: bool = False) -> None:
        """Tell the ranks of other machines that this one left the group, or that a rank failed or is late."""
        note = ffi.new("Head *")
        note.signature.root, note.number = rank, is_late
        note.where = text.encode()[: lib.WHERE - 1]
        self._kept.append(note)
        for k in range(self.size):
            if self.ranks[k] not in (rank, *self.world.locals) and k not in self._left:  # MPI may crash if it has ended
                self.requests.send(k, NOTE, address_of(note), _HEAD)

    def _read_notes(self, operation: str) -> None:
        while (found := self.requests.arrived(NOTE)) is not None:
            found.request.Wait()  # it has arrived
            note = ffi.from_buffer("Head *", found.data)
            if note.signature.root < 0:
                self._left.add(found.source)
            else:
                self._is_told = True
                text = ffi.string(note.where).decode(errors="replace")
                if note.number:
                    raise DistTimeoutError(f"{operation}: {text}")
                raise RankError(f"{operation}: {text}", int(note.signature.root))

    def run(self, call: Any, operation: str, timeout: float | None = None, owners: object = None) -> None:
        if self._kept:
            raise DistBackendError(
                f"{operation}: expected a group without failed calls, whose messages may still arrive; got one after "
                "an error; create it again in all processes"
            )
        try:
            super().run(call, operation, timeout)
            self.requests.end()
        except MismatchError:
            self.requests.end()
            raise
        except BaseException as error:
            self._kept += [self._packets, self._stage, call, owners, self.requests.abandon()]
            if isinstance(error, (RankError, DistTimeoutError)) and not self._is_told:
                is_late = isinstance(error, DistTimeoutError)
                self._tell_others(str(error).partition(": ")[2], getattr(error, "rank", 0), is_late)
            if isinstance(error, self.requests.exception):
                raise DistBackendError(f"{operation}: the MPI library failed: {error}") from None
            raise
        finally:
            self._steps = None

    def has_left(self, rank: int) -> bool:
        return super().has_left(rank) or self.ranks.index(rank) in self._left

    def record(self, rank: int, number: int) -> Any:
        return self._heads[self.ranks.index(rank)]

    def last_call(self, rank: int) -> tuple[int, Any]:
        if rank in self.world.locals:
            return super().last_call(rank)
        head = self._heads[self.ranks.index(rank)]
        return self.group, head if head.number else None

    def _begin(self, call: Any) -> object:
        self._steps = self._run(call)
        return None

    def _check(self, call: Any, operation: str, deadline: float, gone: int | None, limit: float) -> int | None:
        self._read_notes(operation)
        if self.ranks[call.other] not in self.world.locals:
            deadline += _GRACE_SECONDS
        return super()._check(call, operation, deadline, gone, limit)

    def _advance(self, call: Any) -> int:
        def note(other: int, seconds: float) -> None:
            call.waited += seconds
            if call.totals:
                call.totals.waits[other] += seconds

        requests = self.requests
        while True:
            if requests.pending:
                requests.wait(note)
            if requests.pending:
                others = [other for _, other in requests.pending]
                call.other = next((other for other in others if self.world.has_ended(self.ranks[other])), others[0])
                return int(lib.AGAIN)
            try:
                found = next(self._steps)  # type: ignore[arg-type]
            except StopIteration as end:
                return int(end.value)
            if isinstance(found, int):
                call.other = found
                return int(lib.AGAIN)
            requests.pending = found

    # ------------------------------------------------------------------------------------------------ steps of a call
    def _run(self, call: Any) -> Steps:
        lib.begin_record(self._member, call)
        self._write_packet(call)
        yield from self._gather_packets(call)
        status = self._compare(call)
        if status == lib.DONE:
            if call.kind == lib.COPY:
                yield from self._copy(call)
            elif self._heads[0].sent <= self._eager:
                self._reduce_small(call)
            else:
                yield from self._reduce(call)
            lib.end_record(self._member, call)
        else:
            self._own_record().ended = self._own_record().begun
        return status

    def _write_packet(self, call: Any) -> None:
        head, packet = self._heads[self.me], self._base + self.me * self._room
        parts = self.size if call.is_spread else 1
        lengths = list(call.send_bytes[0:parts])
        head.number, head.signature = self._member.number, call.signature
        head.sent, head.received = sum(lengths), sum(call.receive_bytes[0 : self.size])
        ffi.memmove(head.where, call.where, lib.WHERE)
        if call.is_uneven:
            at = ffi.cast("uint64_t *", packet + _HEAD)
            ffi.memmove(at, call.send_bytes, 8 * self.size)
            ffi.memmove(at + self.size, call.receive_bytes, 8 * self.size)
        if head.sent <= self._eager:
            at = packet + self._data_offset
            for part, nbytes in enumerate(lengths):
                ffi.memmove(ffi.cast("char *", at), call.send[part], nbytes)
                at += nbytes

    def _packet_bytes(self, k: int) -> int:
        """Return the bytes that are used of a packet."""
        sent = int(self._heads[k].sent)
        return self._data_offset + (sent if sent <= self._eager else 0)

    def _gather_packets(self, call: Any) -> Steps:
        others = [(self.me + step) % self.size for step in range(1, self.size)]
        own = self._base + self.me * self._room
        requests = [self.requests.receive(k, PACKET, self._base + k * self._room, self._room) for k in others]
        yield requests + [self.requests.send(k, PACKET, own, self._packet_bytes(self.me)) for k in others]

    def _compare(self, call: Any) -> int:
        own = self._heads[self.me]
        signature = ffi.buffer(ffi.addressof(own, "signature"))[:]
        for k, head in enumerate(self._heads):
            if head.number != own.number or ffi.buffer(ffi.addressof(head, "signature"))[:] != signature:
                call.other = k
                return int(lib.MISMATCH)
        if call.is_uneven:
            lengths = [self._lengths(k) for k in range(self.size)]
            for to in range(self.size):  # each rank compares all, so that all fail together
                for source in range(self.size):
                    if lengths[source][to] != lengths[to][self.size + source]:
                        call.other = source * self.size + to
                        return int(lib.LENGTHS)
        return int(lib.DONE)

    def _lengths(self, k: int) -> Any:
        return ffi.cast("uint64_t *", self._packets + k * self._room + _HEAD)

    def _part_of_packet(self, call: Any, k: int) -> int:
        """Return the address of the part for this rank in the packet of another."""
        offset = 0
        if call.is_uneven:
            offset = sum(self._lengths(k)[0 : self.me])
        elif call.is_spread and call.kind == lib.REDUCE:  # the parts of all ranks have the lengths of this one's
            offset = sum(call.send_bytes[0 : self.me])
        elif call.is_spread:
            offset = int(self._heads[k].sent) // self.size * self.me
        return self._base + k * self._room + self._data_offset + offset

    # --------------------------------------------------------------------------------------------- copies of all kinds
    def _is_wanted(self, call: Any, k: int) -> bool:
        """Return whether a rank receives this rank's part, if it has one."""
        root = int(call.signature.root)
        return self._heads[k].received > 0 and (root < 0 or root in (k, self.me))

    def _copy(self, call: Any) -> Steps:
        yield self._start_copies(call, [k for k in range(self.size) if k != self.me])

    def _start_copies(self, call: Any, others: Sequence[int]) -> list[Request]:
        """Copy small parts and this rank's own; exchange large ones with some of the other ranks."""
        found, is_large = [], self._heads[self.me].sent > self._eager
        for k in range(self.size):
            nbytes = int(call.receive_bytes[k])
            if nbytes and k == self.me:
                copy(address_of(call.receive[k]), address_of(call.send[k if call.is_spread else 0]), nbytes)
            elif nbytes and self._heads[k].sent <= self._eager:
                copy(address_of(call.receive[k]), self._part_of_packet(call, k), nbytes)
            elif nbytes and k in others:
                found.append(self.requests.receive(k, DATA, address_of(call.receive[k]), nbytes))
        for k in others:
            part = k if call.is_spread else 0
            nbytes = int(call.send_bytes[part])
            if is_large and nbytes and self._is_wanted(call, k):
                found.append(self.requests.send(k, DATA, address_of(call.send[part]), nbytes))
        return found

    # ------------------------------------------------------------------------------------------------------ reductions
    def _target(self, call: Any) -> int:
        """Return the address of the result of a reduction; 0 if this rank receives none."""
        if call.kind == lib.ALL_REDUCE:
            return address_of(call.send[0])
        return address_of(call.receive[0]) if call.receive_bytes[0] else 0

    def _readers(self, call: Any) -> list[int]:
        """Return the ranks that receive the result of a reduction of whole tensors."""
        is_all = call.kind == lib.ALL_REDUCE
        return [k for k in range(self.size) if is_all or self._heads[k].received > 0]

    def _reduce_small(self, call: Any) -> None:
        target = self._target(call)
        if target:
            part = self.me if call.is_spread else 0
            sources = [self._part_of_packet(call, k) for k in range(self.size)]
            sources[self.me] = address_of(call.send[part])
            self._add(call, sources, target, int(call.send_bytes[part]))

    def _add(self, call: Any, sources: Sequence[int], target: int, nbytes: int) -> None:
        """Reduce the values at some addresses, in this order."""
        signature = call.signature
        arrays, targets = ffi.new("uintptr_t[]", list(sources)), ffi.new("uintptr_t[]", [target])
        lib.reduce(
            signature.dtype, signature.reduction, len(sources), ffi.cast("char **", arrays), 1,
            ffi.cast("char **", targets), nbytes // lib.item_bytes(signature.dtype),
        )  # fmt: skip

    def _pieces(self, call: Any, turn: int, room: int) -> list[Piece]:
        """Return what each rank reduces in a round: its part, if there are such, or its slice of a window."""
        if call.is_spread:
            at = turn * room
            return [
                Piece(address_of(call.send[k]) + at, max(0, min(room, int(call.send_bytes[k]) - at)))
                for k in range(self.size)
            ]
        at = turn * room * self.size
        address, left = address_of(call.send[0]) + at, min(room * self.size, int(call.send_bytes[0]) - at)
        step = min(room, up(-(-left // self.size)))
        starts = [min(k * step, left) for k in range(self.size + 1)]
        return [Piece(address + starts[k], starts[k + 1] - starts[k]) for k in range(self.size)]

    def _reduce(self, call: Any) -> Steps:
        """Reduce large tensors, in rounds: during each one the data of the next one are on their way."""
        parts = self.size if call.is_spread else 1
        longest = max(call.send_bytes[0:parts])
        room = min(up(_WINDOW // self.size), up(longest if call.is_spread else -(-longest // self.size)))
        turns = -(-longest // (room if call.is_spread else room * self.size))
        rounds = [self._pieces(call, turn, room) for turn in range(turns)]
        half = self.size * room
        if self._stage is None or len(self._stage) < 2 * half:
            self._stage = ffi.new("char[]", 2 * half)
        target, stage = self._target(call), address_of(self._stage)
        readers = [] if call.is_spread else self._readers(call)
        arriving = self._exchange(rounds[0], stage, room)
        results: list[list[Request]] = [[], []]
        for turn, pieces in enumerate(rounds):
            place = stage + turn % 2 * half
            following = []
            if turn + 1 < turns:
                following = self._exchange(rounds[turn + 1], stage + (turn + 1) % 2 * half, room)
            yield arriving + results[turn % 2]
            own = pieces[self.me]
            sources = [own.address if k == self.me else place + k * room for k in range(self.size)]
            result = place + self.me * room
            if target and call.is_spread:
                result = target + turn * room
            elif target:
                result = target + own.address - address_of(call.send[0])
            if own.nbytes:
                self._add(call, sources, result, own.nbytes)
            results[turn % 2] = self._send_results(call, pieces, result, target, readers)
            arriving = following
        yield results[0] + results[1]

    def _exchange(self, pieces: Sequence[Piece], place: int, room: int) -> list[Request]:
        """Send each rank its piece, and receive those for this rank."""
        found = []
        for step in range(1, self.size):
            source, to = (self.me - step) % self.size, (self.me + step) % self.size
            if pieces[self.me].nbytes:
                found.append(self.requests.receive(source, DATA, place + source * room, pieces[self.me].nbytes))
            if pieces[to].nbytes:
                found.append(self.requests.send(to, DATA, pieces[to].address, pieces[to].nbytes))
        return found

    def _send_results(
        self, call: Any, pieces: Sequence[Piece], result: int, target: int, readers: Sequence[int]
    ) -> list[Request]:
        """Send the result of this rank's piece to all readers; receive those of other pieces if it is one."""
        found, nbytes = [], pieces[self.me].nbytes
        start = address_of(call.send[0])
        for k, piece in enumerate(pieces):
            if k == self.me:
                continue
            if nbytes and k in readers:
                found.append(self.requests.send(k, RESULT, result, nbytes))
            if target and piece.nbytes and readers:
                found.append(self.requests.receive(k, RESULT, target + piece.address - start, piece.nbytes))
        return found
