"""Memory: allocations and releases are recorded, exactly once, and memory is managed as without a profile."""

import gc
import threading

import pytest
from launch_testing import Operators, plan_of

from facula_errors.testing import raises
from facula_profiler import _recorder, profile, record_function
from facula_storage import contiguous, cpu, float32
from facula_storage.extend.layouts import clear_layout_caches
from facula_storage.extend.memory import allocate, capacity, observe_blocks
from facula_storage.extend.plans import forget_plans

ALLOCATOR = cpu.backend.allocator  # of the layouts below, also if a module imported later replaces the backend
SMALL, MEDIUM, LARGE = [contiguous(shape, float32) for shape in ((7, 3), (11, 13), (300, 400))]


@pytest.fixture(autouse=True)
def no_garbage():
    """Release the garbage of earlier tests, so that no collection releases its blocks during a test."""
    gc.collect()


def rows(prof):
    return [(row["address"], row["nbytes"]) for row in prof.trace.memory]


def blocks():
    return ALLOCATOR.statistics()["allocated_blocks"]


def test_allocations_and_releases():
    before = blocks()
    old = allocate(SMALL)
    with profile(profile_memory=True) as prof:
        first, new = allocate(SMALL), allocate(MEDIUM)
        assert first.ptr % 64 == 0 and capacity(first) >= 84 and blocks() == before + 3
        addresses = first.ptr, new.ptr
        del first, old  # the release of a block from before is not known
        kept = allocate(LARGE)
    assert rows(prof) == [(addresses[0], 84), (addresses[1], 572), (addresses[0], -84), (kept.ptr, 480_000)]
    times = prof.trace.memory["time"]
    assert (times[1:] >= times[:-1]).all() and times[0] >= 0 and set(prof.trace.memory["device"]) == {-1}
    again = allocate(SMALL)
    assert type(again.__del__) is not _recorder.Recorder and "Release" not in type(again.__del__).__name__
    del kept, new, again
    assert blocks() == before and len(rows(prof)) == 4


def test_without_profile_memory_nothing_is_recorded():
    with profile() as prof:
        allocate(SMALL)
    assert rows(prof) == []


def test_a_block_from_an_earlier_profile_is_released_quietly():
    before = blocks()
    with profile(profile_memory=True):
        kept = allocate(SMALL)
    with profile(profile_memory=True) as prof:
        del kept
    assert rows(prof) == [] and blocks() == before


def test_releases_in_garbage_collections_and_threads():
    class Owner:
        pass

    with profile(profile_memory=True) as prof:
        owner = Owner()
        owner.storage, owner.self = allocate(SMALL), owner
        address = owner.storage.ptr
        del owner
        gc.collect()
        thread = threading.Thread(target=lambda: allocate(LARGE))
        thread.start()
        thread.join()
    assert rows(prof)[:2] == [(address, 84), (address, -84)]
    assert [nbytes for _, nbytes in rows(prof)[2:]] == [480_000, -480_000]


def test_allocations_belong_to_the_launch_that_follows():
    """Operators allocate their results first; allocations before other events belong to the enclosing event."""
    operators = Operators(exp=plan_of("exp"))
    with profile(profile_memory=True, with_stack=True) as prof:
        with record_function("outer"):
            result = allocate(SMALL)
            operators.call("exp")
            other = allocate(SMALL)
            with record_function("inner"):
                del result
            operators.call("exp")
        last = allocate(LARGE)
    trace = prof.trace
    names = [trace.names[trace.events["name"][event]] if event >= 0 else None for event in trace.memory["event"]]
    assert names == ["aten::exp", "outer", "inner", None]
    stacks = [trace.stacks[stack][2].function if stack >= 0 else "" for stack in trace.memory["stack"]]
    assert stacks == [test_allocations_belong_to_the_launch_that_follows.__name__] * 2 + [""] + stacks[:1]
    averages = {one.key: one for one in prof.key_averages()}
    assert (averages["aten::exp"].self_cpu_memory_usage, averages["outer"].self_cpu_memory_usage) == (84, 84)
    assert averages["outer"].cpu_memory_usage == 84 and averages["inner"].cpu_memory_usage == -84
    assert "CPU Mem" in prof.key_averages().table(sort_by="self_cpu_memory_usage")
    del other, last


def test_a_failing_allocation():
    with profile(profile_memory=True) as prof, pytest.raises(MemoryError):
        allocate(contiguous((1 << 58,), float32))
    assert rows(prof) == []


def test_layouts_of_results_are_observed_and_restored():
    """Check a layout that only a plan has: tables of layouts are bounded."""
    layout = contiguous((5, 9), float32)
    clear_layout_caches()
    operators = Operators(exp=plan_of("exp", outputs=(layout,)))
    take = layout.take_block
    with profile(profile_memory=True) as prof:
        storage = allocate(layout)
        assert layout.take_block is not take
    assert layout.take_block is take and rows(prof) == [(storage.ptr, 180)]
    assert operators.tables["exp"].by_key["key"].outputs == (layout,)
    forget_plans()


def test_one_observer_at_a_time():
    with profile(profile_memory=True), raises(RuntimeError, "observe_blocks", "remove it first"):
        observe_blocks(None)
