"""For any sequence of operations and failures, the caching allocator agrees with a plain model."""

import ctypes
import gc
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from simulated import on_fake_runtime

from facula_allocator import CachingAllocator, MemPool, OutOfMemoryError, StorageAllocator, use_mem_pool
from facula_allocator._blocks.expandable_segments import ReservedRanges
from facula_allocator._blocks.slow_path import SlowPath
from facula_allocator._blocks.waiting_blocks import WaitingBlocks
from facula_allocator.drivers import DriverError, SimulatedDriver
from facula_errors.testing import raises

MIB = 1 << 20
CAPACITY = 48 * MIB
PAGE = 2 * MIB
STREAMS = [0, 1, 2]
CAPTURING = 9
sizes = st.one_of(st.integers(1, 3000), st.integers(1, MIB), st.integers(MIB, 14 * MIB))
streams = st.sampled_from(STREAMS)
calls = st.sampled_from(
    ["allocate", "free", "record_event", "wait_event", "event_done", "free_event", "synchronize",
     "reserve_addresses", "map", "unmap"],
)  # fmt: skip


class Machine(RuleBasedStateMachine):
    """`live` is the model: it maps an owner to (block, private pool). Kernels name owners; the device checks them."""

    make_driver = SimulatedDriver
    record_use = staticmethod(lambda block, stream: block.record_use(stream))

    @initialize(
        lend=st.booleans(),
        max_split_size=st.sampled_from([None, None, 20 * MIB]),
        divisions=st.sampled_from([0, 0, 4]),
        limit=st.sampled_from([None, None, 30 * MIB]),
        threshold=st.sampled_from([None, None, 0.5]),
        reliable=st.booleans(),
        expandable=st.booleans(),
    )
    def begin(self, lend, max_split_size, divisions, limit, threshold, reliable, expandable):
        gc.disable()
        self.driver = self.make_driver(CAPACITY, page_size=PAGE if expandable else 0)
        self.device = self.driver if isinstance(self.driver, SimulatedDriver) else self.driver.runtime.device(0)
        self.allocator = CachingAllocator(
            self.driver,
            limit,
            lend=lend,
            max_split_size=max_split_size,
            roundup_power2_divisions=divisions,
            garbage_collection_threshold=threshold,
        )
        self.budget = CAPACITY if limit is None else limit
        self.live = {}
        self.pools = {}
        self.next_owner = 0
        self.reliable = reliable  # a device without failures
        self.failed = False  # whether a failure was ever injected
        self.peak = 0

    def teardown(self):
        gc.enable()

    # ------------------------------------------------------------------------------------------------------------ rules
    @rule(nbytes=sizes, stream=streams, number=st.sampled_from([0, 0, 0, 1]), used=st.booleans())
    def allocate(self, nbytes, stream, number, used):
        if self.driver.is_capturing() and number:
            stream, used = CAPTURING, False
        self.refusing = any(self.device._failures.values())
        try:
            if number:
                if number not in self.pools:
                    self.pools[number] = MemPool(self.allocator)
                with use_mem_pool(self.pools[number]):
                    block = self.allocator.allocate(nbytes, stream)
            else:
                block = self.request(nbytes, stream)
        except OutOfMemoryError:
            self.nothing_would_have_served(nbytes, number)
            return
        except DriverError:
            assert self.failed
            return
        assert block.nbytes == nbytes <= block.capacity and block.stream == stream and block.ptr % 512 == 0
        self.next_owner += 1
        self.live[self.next_owner] = block, self.pools[number].id if number else (0, 0)
        if used:
            self.driver.launch(stream, writes=[(block.ptr, nbytes, self.next_owner)])
        self.peak = max(self.peak, self.allocated())

    def request(self, nbytes, stream):
        return self.allocator.allocate(nbytes, stream)

    def nothing_would_have_served(self, nbytes, number):
        if self.refusing or self.driver.is_capturing():
            return
        size = self.allocator._core.round(nbytes)[0]
        pool = self.pools[number].id if number else (0, 0)
        pages = 0
        for segment in self.allocator.memory_snapshot()["segments"]:
            if segment["is_expandable"] and segment["segment_pool_id"][1] not in self.allocator._open_pools:
                pages += free_pages(segment)
            if segment["segment_pool_id"] == pool:
                run = 0
                for block in segment["blocks"]:
                    assert block["state"] != "active_awaiting_free"
                    run = run + block["size"] if block["state"] == "inactive" else 0
                    assert run < size, (segment, nbytes)
        room = self.budget - self.reserved()
        assert min(room, self.driver.largest_free()) < size
        assert min(room, self.driver.memory_info()[0]) + pages < size or not self.driver.page_size

    @precondition(lambda self: self.live)
    @rule(data=st.data(), stream=streams)
    def use_elsewhere(self, data, stream):
        owner = data.draw(st.sampled_from(sorted(o for o, (b, _) in self.live.items() if b.stream != CAPTURING) or [0]))
        if not owner:
            return
        block = self.live[owner][0]
        self.order(block.stream, stream)
        self.record_use(block, stream)
        self.driver.launch(stream, reads=[(block.ptr, block.nbytes, owner)])

    def order(self, first, then):
        """Order the streams as a program must before it uses memory on another stream than the allocating one."""
        failures, self.device._failures = self.device._failures, {}
        if first != then:
            event = self.device.record_event(first)
            self.device.wait_event(then, event)
            self.device.free_event(event)
        self.device._failures = failures

    @precondition(lambda self: self.live)
    @rule(data=st.data(), drop=st.booleans())
    def free(self, data, drop):
        block = self.live.pop(data.draw(st.sampled_from(sorted(self.live))))[0]
        if not drop:
            block.free()

    @precondition(lambda self: self.live)
    @rule()
    def free_all(self):
        self.live.clear()

    @rule(stream=streams, n=st.integers(1, 4))
    def complete(self, stream, n):
        self.driver.complete(stream, n)

    @precondition(lambda self: not self.reliable)
    @rule(call=calls, count=st.integers(1, 3))
    def fail(self, call, count):
        self.failed = True
        self.driver.fail_next(call, count=count)

    @rule()
    def heal(self):
        self.device._failures.clear()

    @rule()
    def empty_cache(self):
        before = self.reserved()
        try:
            given = self.allocator.empty_cache()
        except DriverError:
            assert self.failed
            return
        assert before - self.reserved() == given
        if not self.live and not self.pools and not self.driver.is_capturing() and not self.device._failures:
            assert self.reserved() == 0, "what is free merges whole, and nothing is lost"

    @precondition(lambda self: self.pools)
    @rule()
    def drop_pool(self):
        self.pools.clear()

    @precondition(lambda self: not self.driver.is_capturing())
    @rule()
    def begin_capture(self):
        self.driver.begin_capture(CAPTURING)

    @precondition(lambda self: self.driver.is_capturing())
    @rule()
    def end_capture(self):
        self.driver.end_capture(CAPTURING)  # raises if a forbidden call was made during the capture

    # ------------------------------------------------------------------------------------------------------- invariants
    def allocated(self):
        return sum(block.capacity for block, _ in self.live.values())

    def reserved(self):
        free, total = self.driver.memory_info()
        return total - free

    @invariant()
    def nothing_overlaps_and_nothing_is_lost(self):
        if not hasattr(self, "live"):
            return
        used = {}
        for segment in self.allocator.memory_snapshot()["segments"]:
            if segment["is_expandable"]:
                self.device._memory.check_mapped(segment["address"], segment["total_size"])
            else:
                self.device._memory.check_region(segment["address"], segment["total_size"])
            at = segment["address"]
            for block in segment["blocks"]:
                assert block["address"] == at and block["size"] > 0
                at += block["size"]
                if block["state"] == "active_allocated":
                    used[block["address"]] = block["requested_size"], block["size"], segment["segment_pool_id"]
            assert at == segment["address"] + segment["total_size"]
        assert used == {block.ptr: (block.nbytes, block.capacity, pool) for block, pool in self.live.values()}

    @invariant()
    def statistics_equal_a_recount(self):
        if not hasattr(self, "live"):
            return
        now = self.allocator.memory_stats()
        segments = self.allocator.memory_snapshot()["segments"]
        blocks = [block for segment in segments for block in segment["blocks"]]
        splits = [b for s in segments for b in s["blocks"] if b["state"] == "inactive" and len(s["blocks"]) > 1]
        active = [block for block in blocks if block["state"] != "inactive"]
        expected = {
            "allocation": len(self.live),
            "allocated_bytes": self.allocated(),
            "requested_bytes": sum(block.nbytes for block, _ in self.live.values()),
            "segment": len(segments),
            "reserved_bytes": self.reserved(),
            "active": len(active),
            "active_bytes": sum(block["size"] for block in active),
            "inactive_split": len(splits),
            "inactive_split_bytes": sum(block["size"] for block in splits),
        }
        assert {name: now[f"{name}.all.current"] for name in expected} == expected
        for name in expected:
            for kind in ("all", "small_pool", "large_pool"):
                parts = [now[f"{name}.{kind}.{part}"] for part in ("current", "peak", "allocated", "freed")]
                assert parts[0] == parts[2] - parts[3] and 0 <= parts[0] <= parts[1] <= parts[2]
            small, large = now[f"{name}.small_pool.current"], now[f"{name}.large_pool.current"]
            assert small + large == expected[name]
        assert self.reserved() <= self.budget
        peak = now["allocated_bytes.all.peak"]
        assert peak == self.peak if not self.failed else peak >= self.peak


def free_pages(segment):
    """Return the bytes of pages that are entirely inside idle runs."""
    found, start, at = 0, None, segment["address"]
    for block in [*segment["blocks"], {"size": 0, "state": "end"}]:
        if block["state"] == "inactive":
            start = at if start is None else start
        elif start is not None:
            found += max(0, at // PAGE - -(-start // PAGE)) * PAGE
            start = None
        at += block["size"]
    return found


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
)


class OnCuda(Machine):
    """The CUDA driver between the allocator and the device."""

    make_driver = staticmethod(on_fake_runtime)


TestOnCuda = OnCuda.TestCase
TestOnCuda.settings = settings(TestMachine.settings, max_examples=30)


class Taking(Machine):
    """Blocks from takers, in bursts without a look at the core, which would merge the blocks that are kept."""

    def request(self, nbytes, stream):
        if not hasattr(self, "front"):
            self.stream = 0
            self.read = ctypes.PYFUNCTYPE(ctypes.c_int64)(lambda: self.stream)
            address = ctypes.cast(self.read, ctypes.c_void_p).value
            self.front = StorageAllocator(self.allocator, current_stream=address)
        self.stream = stream
        with suppress(IndexError):
            return self.front.take_for(nbytes)()[1]
        return self.allocator.allocate(nbytes, stream)

    @precondition(lambda self: not self.driver.is_capturing())
    @rule(steps=st.lists(st.tuples(st.sampled_from([100, 500, 700, 5000, 150_000, 2 * MIB]), streams), max_size=8))
    def burst(self, steps):
        for nbytes, stream in steps * 2:
            self.allocate(nbytes, stream, 0, True)
            block = self.live.pop(self.next_owner, (None,))[0]
            if block and nbytes == 500:
                self.order(stream, 1)
                self.record_use(block, 1)
                self.driver.launch(1, reads=[(block.ptr, nbytes, self.next_owner)])
            if block:
                block.free()


TestTaking = Taking.TestCase
TestTaking.settings = settings(TestMachine.settings)


class IgnoresUses(Machine):
    record_use = staticmethod(lambda block, stream: None)


def found(machine):
    """Return whether the model detects a defect."""
    many = settings(
        max_examples=2000,
        stateful_step_count=60,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    with pytest.raises((AssertionError, DriverError)):
        run_state_machine_as_test(machine, settings=many)


def test_the_model_detects_ignored_uses():
    found(IgnoresUses)


def test_the_model_detects_unqueried_events(monkeypatch):
    """A fixed schedule, since random ones rarely trigger the defect."""
    monkeypatch.setattr(WaitingBlocks, "_is_done", lambda self, event: True)
    driver = SimulatedDriver(CAPACITY)
    allocator = CachingAllocator(driver, small_segment=MIB)
    block = allocator.allocate(MIB)
    block.record_use(7)
    driver.launch(7, reads=[(block.ptr, MIB, "first")])
    block.free()
    again = allocator.allocate(MIB)
    with raises(DriverError, "SimulatedDriver.launch", "may still use for 'first'"):
        driver.launch(0, writes=[(again.ptr, MIB, "second")])


def test_the_model_detects_missing_waits(monkeypatch):
    monkeypatch.setattr(SimulatedDriver, "wait_event", lambda self, stream, event: None)
    found(Machine)


def test_the_model_detects_early_release(monkeypatch):
    monkeypatch.setattr(SimulatedDriver, "synchronize", lambda self: None)
    found(Machine)


def test_the_model_detects_early_failure(monkeypatch):
    monkeypatch.setattr(SlowPath, "_last_resort", lambda self, nbytes, stream, pool: None)
    found(Machine)


def test_the_model_detects_unavailable_pages(monkeypatch):
    monkeypatch.setattr(ReservedRanges, "release", lambda self, epoch, open_pools, step: iter(()))
    found(Machine)
