"""The engine of ranks on several machines: shared memory within each, MPI between them.

Note [Two levels]
~~~~~~~~~~~~~~~~~
The ranks of a machine follow each other. They exchange their packets in shared memory, and then each rank exchanges
those of its machine with a rank of each other machine. So all have all packets.

A reduction is made in rank order from machine to machine. Each rank of a machine has a slice of the tensor, which it
reads in the memory of all ranks of the machine. The ranks of the first machine add up its values, and send the sums to
those of the second machine, which add their values, and so on. Those of the last machine write the result to the memory
of its ranks, and send it around. A slice is passed on in chunks, so that all machines work at the same time. Tensors
that are not in shared memory are copied to it first.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from facula_multiprocessing.extend import new_block

from .._board.member import NOWHERE
from .._shm import ffi, lib
from .mpi import MpiMember, copy, up
from .requests import DATA, PACKET, RESULT, Request, address_of
from .shm import SharedMember

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._board.world import World
    from .mpi import Steps
    from .start import Mpi

_CHUNK = 1 << 18  # bytes of a slice that are passed on at once
_DEPTH = 4  # chunks on their way from a machine to the next


class TwoLevelMember(MpiMember):
    """This rank in a group whose ranks of each machine follow each other. Arguments: those of `MpiMember`."""

    def __init__(self, world: World, group: int, ranks: Sequence[int], timeout: float, mpi: Mpi) -> None:
        super().__init__(world, group, ranks, timeout, mpi)
        runs = groupby(range(self.size), key=lambda k: world.nodes[ranks[k]])
        self._machines = [list(places) for _, places in runs]  # the places in the group of each machine's ranks
        self._machine = next(number for number, places in enumerate(self._machines) if self.me in places)
        self._locals = self._machines[self._machine]
        self._index = self.me - self._locals[0]
        self._inner = SharedMember(world, group + int(lib.GROUPS), [ranks[k] for k in self._locals], timeout)
        self._block: Any = None  # shared memory for tensors that are not
        self._room_to_send = ffi.new("char[]", len(self._locals) * self._room)
        self._rooms = [ffi.new("char[]", len(places) * self._room) for places in self._machines]

    def leave(self) -> None:
        super().leave()
        self._inner.leave()

    # ------------------------------------------------------------------------------------------ within this machine
    def _within(self, call: Any, send: Sequence[int], sizes: Sequence[int], receive: Sequence[int],
                received: Sequence[int]) -> Steps:  # fmt: skip
        """Copy between the ranks of this machine; the arguments are addresses and lengths, as in a Call."""
        inner = ffi.new("Call *")
        arrays = [ffi.new("uintptr_t[]", list(ones)) for ones in (send, receive)]
        lengths = [ffi.new("uint64_t[]", list(ones)) for ones in (sizes, received)]
        inner.send, inner.receive = (ffi.cast("char **", ones) for ones in arrays)
        inner.send_bytes, inner.receive_bytes = lengths
        inner.kind, inner.is_spread, inner.tensor = lib.COPY, len(send) > 1, NOWHERE
        kept = self._inner._begin(inner)
        while self._inner._advance(inner) == lib.AGAIN:
            yield self._locals[inner.other]
        del kept
        call.waited += inner.waited
        if call.totals and inner.waited:
            call.totals.waits[self._locals[inner.other]] += inner.waited

    def _meet_within(self, call: Any) -> Steps:
        nothing = [0] * len(self._locals)
        yield from self._within(call, [0], [0], nothing, nothing)

    # --------------------------------------------------------------------------------------------------------- packets
    def _begin(self, call: Any) -> object:
        nbytes = int(call.send_bytes[0])
        self._is_staged = call.kind != lib.COPY and not call.is_spread and nbytes > self._eager
        if self._is_staged and call.tensor != NOWHERE:
            self._is_staged = False
        elif self._is_staged and (self._block is None or self._block.nbytes < nbytes):
            self._block = new_block(nbytes)
        return super()._begin(call)

    def _write_packet(self, call: Any) -> None:
        super()._write_packet(call)
        head = self._heads[self.me]
        head.tensor = call.tensor
        if self._is_staged:
            copy(self._block.address, address_of(call.send[0]), int(call.send_bytes[0]))
            head.tensor = self._block.offset

    def _gather_packets(self, call: Any) -> Steps:
        count, room, first = len(self._locals), self._room, self._base + self._locals[0] * self._room
        places = [first + k * room for k in range(count)]
        lengths = [0 if k == self._index else room for k in range(count)]
        yield from self._within(call, [places[self._index]], [room], places, lengths)
        used, own = max(up(self._packet_bytes(k)) for k in self._locals), address_of(self._room_to_send)
        for k in range(count):
            copy(own + k * used, places[k], used)
        ffi.cast("Head *", own).stride = used
        requests = []
        for number, machine in enumerate(self._machines):
            if number != self._machine:
                source, place = machine[self._index % len(machine)], address_of(self._rooms[number])
                requests.append(self.requests.receive(source, PACKET, place, len(machine) * room))
                requests += [
                    self.requests.send(k, PACKET, own, count * used)
                    for t, k in enumerate(machine) if t % count == self._index
                ]  # fmt: skip
        yield requests
        for number, machine in enumerate(self._machines):
            if number != self._machine:
                place = address_of(self._rooms[number])
                stride = int(ffi.cast("Head *", place).stride)
                for t, k in enumerate(machine):
                    copy(self._base + k * room, place + t * stride, min(stride, room))

    # ---------------------------------------------------------------------------------------------------------- copies
    def _copy(self, call: Any) -> Steps:
        remote = [k for k in range(self.size) if k not in self._locals]
        requests = self._start_copies(call, remote)
        if any(self._heads[k].sent > self._eager for k in self._locals):
            is_large = self._heads[self.me].sent > self._eager
            parts = self._locals if call.is_spread else [0]
            sizes = [int(call.send_bytes[k]) if is_large else 0 for k in parts]
            lengths = [int(call.receive_bytes[k]) if self._heads[k].sent > self._eager else 0 for k in self._locals]
            yield from self._within(
                call, [address_of(call.send[k]) for k in parts], sizes,
                [address_of(call.receive[k]) for k in self._locals], lengths,
            )  # fmt: skip
        yield requests

    # ------------------------------------------------------------------------------------------------------ reductions
    def _reduce(self, call: Any) -> Steps:
        if call.is_spread:
            yield from super()._reduce(call)
            return
        slices = min(map(len, self._machines))
        if self._index < slices:
            yield from self._reduce_slice(call, slices)
        yield from self._meet_within(call)
        target = self._target(call)
        if target and self._is_staged:
            copy(target, self._block.address, int(call.send_bytes[0]))
        if self._is_staged:
            yield from self._meet_within(call)  # as the next call changes the memory that others may still write

    def _reduce_slice(self, call: Any, slices: int) -> Steps:
        """Reduce this rank's slice in the memory of all ranks of the machine. Note [Two levels]."""
        dtype, nbytes = call.signature.dtype, int(call.send_bytes[0])
        step = up(-(-nbytes // slices))
        start, end = min(self._index * step, nbytes), min((self._index + 1) * step, nbytes)
        chunks = [(at, min(_CHUNK, end - at)) for at in range(start, end, _CHUNK)]
        widening = int(lib.sum_bytes(dtype)) // int(lib.item_bytes(dtype))
        memories = [int(self.world.addresses[self.ranks[k]] + self._heads[k].tensor) for k in self._locals]
        own, here, last = memories[self._index], self._machine, len(self._machines) - 1
        column = [machine[self._index] if self._index < len(machine) else -1 for machine in self._machines]
        wanted = {number for number, machine in enumerate(self._machines) if set(machine) & set(self._readers(call))}
        way = [last, *[number for number in range(last) if number in wanted]]  # of the result
        following = column[way[way.index(here) + 1]] if here in way[:-1] else -1
        sums = ffi.new("char[]", 2 * _DEPTH * _CHUNK * widening)
        places = [address_of(sums) + k * _CHUNK * widening for k in range(2 * _DEPTH)]  # received, then sent
        received: dict[int, list[Request]] = {}
        sent: dict[int, list[Request]] = {}
        results: dict[int, list[Request]] = {}

        def receive(chunk: int) -> None:
            if here and chunk < len(chunks):
                room = places[chunk % _DEPTH]
                received[chunk] = [self.requests.receive(column[here - 1], DATA, room, chunks[chunk][1] * widening)]

        def pass_on(chunk: int) -> None:
            at, length = chunks[chunk]
            if following >= 0:
                sent.setdefault(-1, []).append(self.requests.send(following, RESULT, own + at, length))

        for chunk in range(_DEPTH):
            receive(chunk)
        lag = _DEPTH * len(self._machines)
        for turn in range(len(chunks) + lag):
            if turn < len(chunks):
                yield received.pop(turn, []) + sent.pop(turn - _DEPTH, [])
                at, length = chunks[turn]
                before = places[turn % _DEPTH] if here else 0
                if here == last:
                    self._add_machine(call, before, memories, at, length, memories)
                    pass_on(turn)
                else:
                    room = places[_DEPTH + turn % _DEPTH]
                    self._add_machine(call, before, memories, at, length, [room])
                    sent[turn] = [self.requests.send(column[here + 1], DATA, room, length * widening)]
                    if here in wanted:
                        source = column[way[way.index(here) - 1]]
                        results[turn] = [self.requests.receive(source, RESULT, own + at, length)]
                receive(turn + _DEPTH)
            if turn - lag in results:
                yield results.pop(turn - lag)
                at, length = chunks[turn - lag]
                for memory in memories:
                    if memory != own:
                        copy(memory + at, own + at, length)
                pass_on(turn - lag)
        yield [request for requests in sent.values() for request in requests]

    def _add_machine(
        self, call: Any, before: int, memories: Sequence[int], at: int, length: int, targets: Sequence[int]
    ) -> None:
        """Add this machine's values of a chunk to those before, the result is final on the last machine."""
        signature, is_last = call.signature, self._machine == len(self._machines) - 1
        sources = ffi.new("uintptr_t[]", [memory + at for memory in memories])
        results = ffi.new("uintptr_t[]", [target + at if is_last else target for target in targets])
        lib.continue_reduction(
            signature.dtype, signature.reduction, ffi.cast("char *", before), len(memories),
            ffi.cast("char **", sources), self.size if is_last else 0, len(targets), ffi.cast("char **", results),
            length // lib.item_bytes(signature.dtype),
        )  # fmt: skip
