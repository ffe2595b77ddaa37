"""The history of a caching allocator: allocating stacks, the last events, and their use in errors."""

import gc
import inspect
import os
import pickle
import sys
import threading
import time

import pytest
from simulated import MIB

from facula_allocator import CachingAllocator, MemPool, OutOfMemoryError, use_mem_pool
from facula_allocator.drivers import HostDriver, SimulatedDriver
from facula_allocator.snapshots import explain, read_snapshot, render_html, write_snapshot
from facula_errors.testing import raises


@pytest.fixture
def recorded(caching):
    caching.record_history()
    return caching


def here():
    """Return the caller's line."""
    return inspect.currentframe().f_back.f_lineno


def frames_of(caching, block):
    """Return (function, line) of the frames of a block, innermost first."""
    for segment in caching.memory_snapshot()["segments"]:
        for one in segment["blocks"]:
            if one["address"] == block.ptr:
                return [(frame["name"], frame["line"]) for frame in one["frames"]]
    return None


def by_function(caching):
    block, line = caching.allocate(1000), here()
    return block, line


def by_generator(caching):
    yield caching.allocate(1000)


def by_depth(caching, depth):
    return by_depth(caching, depth - 1) if depth else caching.allocate(1000)


class Model:
    def forward(self, caching):
        return [caching.allocate(1000) for _ in range(2)]


def test_the_line_that_allocated(recorded):
    block, line = by_function(recorded)
    after = here()
    assert frames_of(recorded, block)[:2] == [("by_function", line), ("test_the_line_that_allocated", after - 1)]
    first, second = Model().forward(recorded)
    assert frames_of(recorded, first) == frames_of(recorded, second)
    assert "forward" in [name for name, _ in frames_of(recorded, first)[:2]]
    (made,) = by_generator(recorded)
    assert frames_of(recorded, made)[0][0] == "by_generator"


def test_code_without_a_module_and_in_threads(recorded):
    scope = {"caching": recorded}
    exec(compile("def f():\n\n    return caching.allocate(10)\nblock = f()", "<made>", "exec"), scope)
    assert frames_of(recorded, scope["block"])[:2] == [("f", 3), ("<module>", 4)]
    found = []
    thread = threading.Thread(target=lambda: found.append(recorded.allocate(10)), name="worker")
    thread.start()
    thread.join()
    assert frames_of(recorded, found[0])[0][0] == "<lambda>"


def test_a_deep_stack_is_truncated(caching):
    for most in (0, 1, 8, 64):
        caching.record_history(frames=most)
        block = by_depth(caching, 200)
        assert frames_of(caching, block) == [("by_depth", by_depth.__code__.co_firstlineno + 1)] * most


def test_no_variable_is_kept(recorded):
    class Big:
        pass

    def hold():
        big = Big()
        found.append(id(big))
        return recorded.allocate(10)

    found = []
    block = hold()
    gc.collect()
    assert not [one for one in gc.get_objects() if type(one) is Big] and block


def test_segments_and_reused_blocks_have_their_own_stacks(recorded):
    first, line = by_function(recorded)
    first.free()
    (second,) = by_generator(recorded)
    (segment,) = recorded.memory_snapshot()["segments"]
    assert segment["frames"][0]["line"] == line and frames_of(recorded, second)[0][0] == "by_generator"
    assert [block["frames"] for block in segment["blocks"] if block["state"] == "inactive"] == [[]]


@pytest.mark.parametrize("listened", [False, True])
def test_events_have_pytorchs_format(driver, listened):
    caching, told = CachingAllocator(driver), []
    if listened:
        caching.add_listener(told.append)
    caching.record_history()
    begin = time.time_ns() // 1000
    block, line = by_function(caching)
    block.record_use(4)
    block.free()
    caching.allocate(30 * MIB).free()
    pool = MemPool(caching)
    with use_mem_pool(pool):
        inside = caching.allocate(10, stream=7)
    caching.empty_cache()
    with pytest.raises(OutOfMemoryError):
        caching.allocate(100 * MIB)
    events = caching.memory_snapshot()["device_traces"][0]
    assert [(event["action"], event["size"]) for event in events] == [
        ("segment_alloc", 2 * MIB), ("alloc", 1000), ("free_requested", 1000), ("free_completed", 1000),
        ("segment_alloc", 30 * MIB), ("alloc", 30 * MIB), ("free_requested", 30 * MIB), ("free_completed", 30 * MIB),
        ("segment_alloc", 2 * MIB), ("alloc", 10), ("segment_free", 30 * MIB), ("segment_free", 2 * MIB),
        ("oom", 100 * MIB),
    ]  # fmt: skip
    if listened:
        assert [event.action for event in told] == [event["action"] for event in events]
    times = [event["time_us"] for event in events]
    assert begin <= times[0] and times == sorted(times) and times[-1] <= time.time_ns() // 1000
    assert events[1]["frames"][0]["line"] == line and events[1]["addr"] == events[2]["addr"]
    assert "addr" not in events[-1] and events[-1]["device_free"] == 62 * MIB and inside.stream == events[9]["stream"]


def test_the_last_events_are_kept(caching):
    caching.record_history(length=3)
    kept = [caching.allocate(1000 + i) for i in range(9)]
    events = caching.memory_snapshot()["device_traces"][0]
    assert [event["size"] for event in events] == [1006, 1007, 1008]
    assert len(frames_of(caching, kept[0])) > 1, "blocks keep their lines all the same"
    kept.clear()
    events = caching.memory_snapshot()["device_traces"][0]
    assert [event["action"] for event in events] == ["free_completed", "free_requested", "free_completed"]
    caching.record_history(length=0)
    assert frames_of(caching, caching.allocate(1)) and caching.memory_snapshot()["device_traces"] == [[]]


def test_stacks_of_freed_blocks_are_dropped(recorded):
    for size in range(1, 3000, 7):
        recorded.allocate(size).free()
    block = recorded.allocate(1)
    block.record_use(3)
    block.free()
    recorded.empty_cache()
    assert not recorded._listeners.history._live and not recorded._listeners.history._segments


def test_pages_have_lines_too():
    caching = CachingAllocator(SimulatedDriver(64 * MIB, page_size=2 * MIB))
    caching.record_history()
    block, line = by_function(caching)
    snapshot = caching.memory_snapshot()
    assert snapshot["segments"][0]["frames"][0]["line"] == line and snapshot["segments"][0]["is_expandable"]
    assert [event["action"] for event in snapshot["device_traces"][0]] == ["segment_map", "alloc"] and block


@pytest.mark.parametrize("end", [lambda one: one.stop_history(), lambda one: one.record_history(None)])
def test_history_can_be_stopped(recorded, end):
    end(recorded)
    block = recorded.allocate(10)
    snapshot = recorded.memory_snapshot()
    assert frames_of(recorded, block) == [] and snapshot["device_traces"] == [[]]
    assert not snapshot["allocator_settings"]["history"] and not recorded._core.listening


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"frames": "8"}, "expected frames, an int; got '8'"),
        ({"frames": True}, "expected frames, an int; got True"),
        ({"frames": 65}, "expected frames from 0 to 64; got 65"),
        ({"length": -1}, "expected length from 0 to ... got -1"),
    ],
)
def test_invalid_arguments(recorded, arguments, message):
    with raises((TypeError, ValueError), "record_history", message):
        recorded.record_history(**arguments)
    assert frames_of(recorded, recorded.allocate(1)), "the history that was on goes on"


def test_the_snapshot_goes_into_files_and_pages(recorded, tmp_path):
    block, line = by_function(recorded)
    recorded.allocate(3 * MIB).free()
    snapshot = recorded.memory_snapshot()
    write_snapshot(snapshot, tmp_path / "now.pickle")
    assert read_snapshot(tmp_path / "now.pickle") == read_snapshot(write(snapshot, tmp_path / "now.json"))
    assert pickle.loads((tmp_path / "now.pickle").read_bytes())["device_traces"][0][0]["action"] == "segment_alloc"
    assert f"test_history.py:{line} by_function" in render_html(snapshot)
    assert f"test_history.py:{line} by_function  (1 block)" in explain(snapshot, MIB) and block


def write(snapshot, path):
    write_snapshot(snapshot, path)
    return path


def test_threads_at_once(recorded):
    """Every live block has the line of its thread's function, for any interleaving of threads."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    kept = []

    def body(number):
        mine = [recorded.allocate(1 + (number * i) % 3000, stream=number % 3) for i in range(200)]
        del mine[::2]
        kept.append(mine)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(6)]
    try:
        for thread in threads:
            thread.start()
    finally:
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
    live = [
        block for segment in recorded.memory_snapshot()["segments"] for block in segment["blocks"]
        if block["state"] == "active_allocated"
    ]  # fmt: skip
    assert len(live) == 600 and {block["frames"][0]["name"] for block in live} <= {"body", "<listcomp>"}
    assert len(kept) == 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("make", [HostDriver, lambda: SimulatedDriver(64 * MIB)])
def test_a_forked_child_continues_recording(make):
    caching = CachingAllocator(make())
    caching.record_history()
    before = caching.allocate(100)
    child = os.fork()
    if not child:
        try:
            block, line = by_function(caching)
            right = frames_of(caching, block)[0] == ("by_function", line)
            right = right and (bool(frames_of(caching, before)) is caching.driver.survives_fork)
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
