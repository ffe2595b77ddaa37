"""For any sequence of operations, the allocator agrees with a plain model."""

import gc

from blocks import holds, write
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from facula_allocator import Block, HostAllocator, OutOfMemoryError, follow, unfollow
from facula_allocator.extend import block_size, refuse_next
from facula_allocator.snapshots import explain

LIMIT = 24 << 20
sizes = st.one_of(st.integers(1, 600), st.integers(1, 300_000), st.integers(1 << 20, 7 << 20))


class Machine(RuleBasedStateMachine):
    """`live` is the model: it maps an address to (nbytes, capacity, byte written to both ends, release)."""

    pools = True

    def __init__(self):
        super().__init__()
        gc.disable()  # a collection may trim; collections have separate tests
        self.allocator = HostAllocator(limit=LIMIT, cache_limit=8 << 20, pools=self.pools)
        self.live = {}
        self.peak = 0
        self.written = 0
        self.last_error = None
        self.followed = False
        self.followed_peak = 0  # since blocks are followed

    def teardown(self):
        gc.enable()

    def capacity(self, nbytes):
        return block_size(nbytes) if self.pools else nbytes

    def add(self, nbytes, block):
        address, release = block
        self.written = (self.written + 1) % 251
        write(address, min(nbytes, 64), self.written)
        write(address + nbytes - min(nbytes, 64), min(nbytes, 64), self.written)
        assert isinstance(release, Block) == self.followed
        capacity = release.capacity if self.followed else self.capacity(nbytes)
        self.live[address] = nbytes, capacity, self.written, release
        self.followed_peak = max(self.followed_peak, self.allocated())

    def allocated(self):
        return sum(capacity for _, capacity, _, _ in self.live.values())

    @precondition(lambda self: not self.followed)
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
            # All idle memory that can be released has been, and still the request did not fit.
            assert self.allocator.trim() == 0
            needed = -(-nbytes // 64) * 64 if self.followed else self.capacity(nbytes)
            assert self.allocator.statistics()["reserved_bytes"] + needed > LIMIT
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

    @rule(followed=st.booleans())
    def follow(self, followed):
        (follow if followed else unfollow)(self.allocator)
        if followed and not self.followed:
            self.followed_peak = self.allocated()
        self.followed = followed

    @rule()
    def look(self):
        snapshot = self.allocator.memory_snapshot()
        blocks = [block for segment in snapshot["segments"] for block in segment["blocks"]]
        held = {one["address"]: one["size"] for one in blocks if one["state"] == "active_allocated"}
        live = {address: row for address, row in self.live.items() if self.pools or isinstance(row[3], Block)}
        assert held == {address: capacity for address, (_, capacity, _, _) in live.items()}
        stats = self.allocator.memory_stats()
        if self.pools:
            assert sum(segment["total_size"] for segment in snapshot["segments"]) == stats["reserved_bytes.all.current"]
            assert len(snapshot["segments"]) == stats["segment.all.current"]
            beside = [
                block["size"]
                for segment in snapshot["segments"]
                for block in segment["blocks"]
                if block["state"] == "inactive" and segment["allocated_size"]
            ]
            assert sum(beside) == stats["inactive_split_bytes.all.current"]
            assert len(beside) == stats["inactive_split.all.current"]
        assert explain(snapshot, 1).startswith("out of memory: 1 B requested")
        assert stats["segment.all.current"] == stats["num_device_alloc"] - stats["num_device_free"]
        assert ("allocated_bytes.all.peak" in stats) == self.followed

    @rule()
    def reset_peak(self):
        self.allocator.reset_peak_memory_stats()
        self.peak = self.allocator.statistics()["reserved_bytes"]
        self.followed_peak = self.allocated()

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
        stats = self.allocator.memory_stats()
        assert self.peak <= stats["reserved_bytes.all.peak"] <= LIMIT
        self.peak = stats["reserved_bytes.all.peak"]
        assert stats.get("allocated_bytes.all.peak", self.followed_peak) == self.followed_peak
        assert now["allocated_bytes"] == stats["active_bytes.all.current"] == stats["allocated_bytes.all.current"]
        assert now["allocated_blocks"] == stats["allocation.all.current"]
        if self.pools:
            rows = self.allocator.size_classes()
            in_rows = [row.block_bytes * (row.allocated_blocks + row.cached_blocks) for row in rows]
            follower = self.allocator._follower
            others = follower.statistics()["reserved_bytes"] if follower else 0
            assert sum(in_rows) + others == now["reserved_bytes"]


class MachineWithoutPools(Machine):
    pools = False


TestPools = Machine.TestCase
TestPools.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestWithoutPools = MachineWithoutPools.TestCase
TestWithoutPools.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
