"""Whatever is done in whatever order, the allocator agrees with a plain model of it."""

import gc

from blocks import holds, write
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from facula_allocator import HostAllocator, OutOfMemoryError
from facula_allocator.extend import block_size, refuse_next

LIMIT = 24 << 20
sizes = st.one_of(st.integers(1, 600), st.integers(1, 300_000), st.integers(1 << 20, 7 << 20))


class Machine(RuleBasedStateMachine):
    """`live` is the model: address -> (nbytes, capacity, byte written to both ends, release)."""

    pools = True

    def __init__(self):
        super().__init__()
        gc.disable()  # a collection may trim; it has tests of its own
        self.allocator = HostAllocator(limit=LIMIT, cache_limit=8 << 20, pools=self.pools)
        self.live = {}
        self.peak = 0
        self.written = 0
        self.last_error = None

    def teardown(self):
        gc.enable()

    def capacity(self, nbytes):
        return block_size(nbytes) if self.pools else nbytes

    def add(self, nbytes, block):
        address, release = block
        self.written = (self.written + 1) % 251
        write(address, min(nbytes, 64), self.written)
        write(address + nbytes - min(nbytes, 64), min(nbytes, 64), self.written)
        self.live[address] = nbytes, self.capacity(nbytes), self.written, release

    @rule(nbytes=sizes)
    def take(self, nbytes):
        before = self.allocator.statistics()
        try:
            block = self.allocator.take_for(nbytes)()
        except IndexError:
            return
        assert self.allocator.statistics()["reserved_bytes"] == before["reserved_bytes"]
        self.add(nbytes, block)

    @rule(nbytes=sizes)
    def refill(self, nbytes):
        try:
            block = self.allocator.refill(nbytes)
        except OutOfMemoryError as error:
            # Everything idle that could go has gone, and still there was no room.
            assert self.allocator.trim() == 0
            assert self.allocator.statistics()["reserved_bytes"] + self.capacity(nbytes) > LIMIT
            self.last_error = error
            return
        self.add(nbytes, block)

    @invariant()
    def errors_carry_the_limit(self):
        assert self.last_error is None or self.last_error.limit == LIMIT

    @rule(nbytes=sizes)
    def refill_when_the_system_refuses(self, nbytes):
        refuse_next(10**6)
        try:
            self.add(nbytes, self.allocator.refill(nbytes))
        except OutOfMemoryError:
            pass
        finally:
            refuse_next(0)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def release(self, data):
        address = data.draw(st.sampled_from(sorted(self.live)))
        nbytes, _, byte, release = self.live.pop(address)
        ends = min(nbytes, 64)
        assert holds(address, ends, byte) and holds(address + nbytes - ends, ends, byte)
        release()

    @precondition(lambda self: self.live)
    @rule()
    def release_all(self):
        for _, _, _, release in self.live.values():
            release()
        self.live.clear()

    @rule(keep=st.sampled_from([0, 1 << 16, 4 << 20]))
    def trim(self, keep):
        before = self.allocator.statistics()
        given = self.allocator.trim(keep)
        after = self.allocator.statistics()
        assert before["reserved_bytes"] - after["reserved_bytes"] == given
        if not self.live:
            assert after["cached_bytes"] <= keep

    @rule()
    def reset_peak(self):
        self.allocator.reset_peak()
        self.peak = self.allocator.statistics()["reserved_bytes"]

    @invariant()
    def no_two_blocks_overlap(self):
        end = 0
        for address, (_, capacity, _, _) in sorted(self.live.items()):
            assert address >= end and address % 64 == 0
            end = address + capacity

    @invariant()
    def statistics_are_exact(self):
        now = self.allocator.statistics()
        assert now["allocated_blocks"] == len(self.live)
        assert now["allocated_bytes"] == sum(capacity for _, capacity, _, _ in self.live.values())
        assert now["reserved_bytes"] == now["allocated_bytes"] + now["cached_bytes"] <= LIMIT
        self.peak = max(self.peak, now["reserved_bytes"])
        # Within one refill more may have been reserved than before or after it.
        assert self.peak <= now["peak_reserved_bytes"] <= LIMIT
        self.peak = now["peak_reserved_bytes"]
        if self.pools:
            rows = self.allocator.size_classes()
            in_rows = [row.block_bytes * (row.allocated_blocks + row.cached_blocks) for row in rows]
            assert sum(in_rows) == now["reserved_bytes"]


class MachineWithoutPools(Machine):
    pools = False


TestPools = Machine.TestCase
TestPools.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestWithoutPools = MachineWithoutPools.TestCase
TestWithoutPools.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
