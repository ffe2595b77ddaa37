"""Events, snapshots, summaries and released memory of a caching allocator."""

import gc

import pytest
from simulated import MIB

from facula_allocator import CachingAllocator, OutOfMemoryError
from facula_allocator.drivers import DriverError, HostDriver
from facula_errors.testing import raises


def test_listeners_receive_events_in_order(caching):
    told = []
    caching.add_listener(told.append)
    block = caching.allocate(1000)
    block.record_use(4)
    block.free()
    caching.allocate(30 * MIB).free()
    caching.empty_cache()
    with pytest.raises(OutOfMemoryError):
        caching.allocate(100 * MIB)
    assert [event.action for event in told] == [
        "segment_alloc", "alloc", "free_requested", "free_completed", "segment_alloc", "alloc", "free_requested",
        "free_completed", "segment_free", "segment_free", "oom",
    ]  # fmt: skip
    assert told[2].uses == (4,) and told[1].address == told[2].address == told[3].address
    assert (told[1].nbytes, told[1].capacity, told[-1].nbytes) == (1000, 1024, 100 * MIB)
    caching.remove_listener(told.append)
    caching.allocate(1)
    assert len(told) == 11
    with raises(ValueError, "remove_listener", "expected one that was added"):
        caching.remove_listener(print)


def test_allocations_are_fast_again_without_listeners(caching, monkeypatch):
    """The C core serves allocations again: no line of Python runs."""
    told = []
    for listener in (told.append, lambda event: None):
        caching.add_listener(listener)
        caching.allocate(1000).free()
        caching.remove_listener(listener)
    caching.allocate(1000).free()
    before = len(told)
    monkeypatch.setattr(type(caching), "_allocate", None)
    caching.allocate(1000).free()
    assert len(told) == before


def test_a_failing_listener_causes_one_warning(caching):
    told = []

    def fail(event):
        raise ZeroDivisionError("of the listener")

    caching.add_listener(fail)
    caching.add_listener(told.append)
    with pytest.warns(RuntimeWarning, match="The listener .*fail failed: ZeroDivisionError: of the listener") as seen:
        caching.allocate(1000).free()
    caching.memory_stats()
    assert len(seen) == 1
    assert [event.action for event in told] == ["segment_alloc", "alloc", "free_requested", "free_completed"]
    caching.remove_listener(fail)
    caching.add_listener(fail)
    with pytest.warns(RuntimeWarning, match="failed"):
        caching.allocate(1)


def test_the_snapshot_has_pytorchs_format(caching):
    kept = caching.allocate(1000, stream=1)
    waiting = caching.allocate(2000, stream=1)
    waiting.record_use(2)
    waiting.free()
    snapshot = caching.memory_snapshot()
    assert snapshot.keys() == {"segments", "device_traces", "allocator_settings"} and snapshot["device_traces"] == [[]]
    (segment,) = snapshot["segments"]
    assert {name: value for name, value in segment.items() if name != "blocks"} == {
        "device": 0, "address": kept.ptr, "total_size": 2 * MIB, "allocated_size": 1024, "active_size": 1024 + 2048,
        "requested_size": 1000, "stream": 1, "segment_type": "small", "segment_pool_id": (0, 0),
        "is_expandable": False, "frames": [],
    }  # fmt: skip
    states = [(block["size"], block["requested_size"], block["state"]) for block in segment["blocks"]]
    assert states == [
        (1024, 1000, "active_allocated"),
        (2048, 2000, "active_awaiting_free"),
        (2 * MIB - 3072, 0, "inactive"),
    ]


def test_the_summary_and_resets(caching):
    block = caching.allocate(3 * MIB)
    block.free()
    lines = caching.memory_summary().splitlines()
    assert lines[0].split() == ["device", "memory", "now", "peak", "in", "all", "freed"]
    assert lines[1].split() == ["allocated", "memory", "0", "B", "3", "MiB", "3", "MiB", "3", "MiB"]
    assert "1 segments from the driver" in lines[-1] and "20971520 bytes of <" in repr(caching)
    caching.reset_peak_memory_stats()
    caching.reset_accumulated_memory_stats()
    now = caching.memory_stats()
    assert now["allocated_bytes.all.peak"] == now["allocated_bytes.all.allocated"] == now["num_device_alloc"] == 0
    assert now["reserved_bytes.all.current"] == now["reserved_bytes.all.peak"] == 20 * MIB


@pytest.mark.parametrize("watch", [lambda caching: caching.add_listener(print), CachingAllocator.record_history])
def test_earlier_frees_affect_neither_peaks_nor_new_listeners(caching, watch, capsys):
    caching.allocate(3 * MIB).free()
    watch(caching)
    caching.memory_stats()
    assert capsys.readouterr().out == "" and not caching.memory_snapshot()["device_traces"][0]
    caching.allocate(3 * MIB).free()
    caching.reset_peak_memory_stats()
    assert caching.memory_stats()["allocated_bytes.all.peak"] == 0
    caching.allocate(5 * MIB).free()
    caching.reset_accumulated_memory_stats()
    now = caching.memory_stats()
    assert (now["allocated_bytes.all.allocated"], now["allocated_bytes.all.freed"]) == (0, 0)


def test_host_memory_is_memory():
    import ctypes

    driver = HostDriver()
    caching = CachingAllocator(driver)
    block = caching.allocate(10_000)
    ctypes.memset(block.ptr, 7, 10_000)
    assert ctypes.string_at(block.ptr, 10_000) == b"\x07" * 10_000 and block.ptr % 64 == 0
    block.record_use(3)
    block.free()
    assert caching.empty_cache() == 2 * MIB and "0 regions" in repr(driver)
    with raises(OutOfMemoryError, "out of memory", "2 MiB of host memory requested"):
        CachingAllocator(HostDriver(limit=MIB)).allocate(2 * MIB)
    with raises(DriverError, "HostDriver.free", "expected an address from allocate"):
        driver.free(64, 64)


def test_memory_is_released_with_the_last_block(driver):
    caching = CachingAllocator(driver)
    block = caching.allocate(1000)
    del caching
    gc.collect()
    assert driver.memory_info()[0] == 62 * MIB
    del block
    assert driver.memory_info()[0] == 64 * MIB
