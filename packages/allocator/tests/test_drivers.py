"""Drivers over a runtime: devices, events, captures, pages, pinned and managed memory, and refused calls."""

import gc
import sys
import threading

import pytest
from simulated import MIB, current

from facula_allocator import CachingAllocator, OutOfMemoryError
from facula_allocator.drivers import (
    CudaDriver,
    DriverError,
    FakeRuntime,
    ManagedDriver,
    PinnedDriver,
    RuntimeFailure,
    supports_virtual_memory,
)
from facula_errors.testing import raises

PAGE = 2 * MIB
DRIVERS = [CudaDriver, PinnedDriver, ManagedDriver]


@pytest.fixture
def runtime():
    return FakeRuntime(devices=2, capacity=32 * MIB, host_capacity=64 * MIB)


@pytest.mark.parametrize("kind", DRIVERS)
@pytest.mark.parametrize("device", [0, 1])
def test_an_allocator_only_uses_its_device(runtime, kind, device):
    simulated, other = runtime.device(device), runtime.device(1 - device)
    runtime.set_device(1 - device)
    allocator = CachingAllocator(kind(device, runtime))
    allocator.record_history()
    block = allocator.allocate(20 * MIB, stream=3)
    snapshot = allocator.memory_snapshot()
    assert snapshot["segments"][0]["device"] == device and snapshot["device_traces"][device][-1]["action"] == "alloc"
    allocator.stop_history()
    block.record_use(4)
    simulated.launch(4, reads=[(block.ptr, 1000, "first")])
    block.free()
    with raises(OutOfMemoryError, "out of memory", f"80 MiB of {allocator.driver.memory} requested"):
        allocator.allocate(80 * MIB, stream=3)
    allocator.empty_cache()
    assert simulated.calls("synchronize") and simulated.calls("record_event") and not simulated.queued(4)
    assert runtime.get_device() == 1 - device and not any(entry[0] != "is_capturing" for entry in other.log)
    assert simulated.memory_info() == other.memory_info() == (32 * MIB, 32 * MIB) and not runtime._allocated


def test_addresses_of_devices_differ(runtime):
    drivers = [CudaDriver(0, runtime), CudaDriver(1, runtime), PinnedDriver(0, runtime)]
    addresses = [driver.allocate(MIB) for driver in drivers]
    assert len(set(addresses)) == 3
    assert [supports_virtual_memory(driver) for driver in drivers] == [True, True, False]
    with raises(DriverError, "SimulatedDriver", "not allocated"):
        runtime.device(0).launch(0, reads=[(addresses[1], 1)])
    runtime.device(0).launch(0, reads=[(addresses[2], 1)])


def test_each_thread_has_a_current_device(runtime):
    runtime.set_device(1)
    runtime.set_current_stream(5)
    found = []
    thread = threading.Thread(target=lambda: found.extend([runtime.get_device(), runtime.current_stream()]))
    thread.start()
    thread.join()
    assert found == [0, 0] and (runtime.get_device(), runtime.current_stream()) == (1, 5)


def test_one_runtime_in_many_threads(runtime):
    """The state of drivers and the runtime stays consistent without an allocator's lock."""
    drivers = [kind(device, runtime) for kind in DRIVERS for device in (0, 1)]
    failures = []

    def work(driver):
        try:
            for i in range(60):
                address = driver.allocate(512 * (1 + i % 4))
                events = [driver.record_event(stream) for stream in (1, 2)]
                driver.wait_event(3, events[0])
                assert driver.event_done(events[1]) and runtime.get_device() == 0
                for event in events:
                    driver.free_event(event)
                if isinstance(driver, CudaDriver):
                    pages = driver.reserve_addresses(PAGE)
                    driver.map(pages, PAGE)
                    driver.unmap(pages, PAGE)
                    driver.free_addresses(pages, PAGE)
                driver.free(address, 512 * (1 + i % 4))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(one,)) for one in drivers * 2]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failures and not runtime._allocated and not runtime._handles
    assert {runtime.device(i).memory_info() for i in (0, 1)} == {(32 * MIB, 32 * MIB)}


# --------------------------------------------------------------------------------------------------------------- events
@pytest.mark.parametrize("kind", DRIVERS)
def test_events_are_reused(runtime, kind):
    driver = kind(0, runtime)
    for _ in range(5):
        events = [driver.record_event(stream) for stream in (1, 2, 1)]
        driver.wait_event(3, events[0])
        assert driver.event_done(events[2])
        for event in events:
            driver.free_event(event)
    assert len(runtime._events) == 3
    with raises(DriverError, f"{kind.__name__}.free_event", "expected an event that was not freed; got"):
        driver.free_event(events[0])
    del driver
    gc.collect()
    assert not runtime._events


def test_a_refused_record_loses_no_event(runtime):
    driver = CudaDriver(0, runtime)
    runtime.device(0).fail_next("record_event", count=3)
    for _ in range(3):
        with raises(
            DriverError,
            "CudaDriver.record_event",
            "record_event: expected an event on stream 0x1",
            value="cudaErrorInvalidResourceHandle",
        ) as caught:
            driver.record_event(1)
        assert caught.value.__context__ is None, "what holds the runtime's frames would hold blocks"
    driver.record_event(1)
    assert len(runtime._events) == 1


# ------------------------------------------------------------------------------------------------------------- captures
def test_a_capture_is_not_disturbed(runtime):
    device, driver = runtime.device(0), CudaDriver(0, runtime)
    event = driver.record_event(1)
    device.begin_capture(9)
    with pytest.raises(RuntimeFailure, match="cudaErrorStreamCaptureUnsupported: malloc while a graph is captured"):
        runtime.malloc(512)
    assert driver.allocate(512), "in the relaxed mode"
    assert runtime.exchange_capture_mode(0) == 0, "the mode of the thread is what it was"
    for call, arguments in [("record_event", (9,)), ("wait_event", (9, event)), ("record_event", (0,))]:
        with raises(DriverError, f"CudaDriver.{call}", value="a stream under capture"):
            getattr(driver, call)(*arguments)
    assert [driver.is_capturing(stream) for stream in (0, 1, 9, None)] == [True, False, True, True]
    assert device.end_capture(9) == []
    assert [driver.is_capturing(stream) for stream in (0, 1, 9, None)] == [False] * 4


def test_capture_queries_use_the_current_stream(runtime, monkeypatch):
    driver = CudaDriver(0, runtime)
    # Stream 9 does not wait for stream 0.
    monkeypatch.setattr(runtime, "stream_is_capturing", lambda stream: stream == 9)
    assert not driver.is_capturing()
    runtime.set_current_stream(9)
    assert driver.is_capturing()


def test_queries_do_not_raise_after_device_loss(runtime, monkeypatch):
    driver = CudaDriver(0, runtime)

    def lost(*arguments):
        raise RuntimeFailure("cudaErrorDevicesUnavailable")

    for name in ("stream_is_capturing", "memory_info"):
        monkeypatch.setattr(runtime, name, lost)
    assert driver.is_capturing() is False and driver.memory_info() == (0, 0)
    with raises(
        DriverError,
        "CudaDriver.record_event",
        "record_event: expected an event on stream 0x7",
        value="cudaErrorDevicesUnavailable",
    ):
        driver.record_event(7)


# ------------------------------------------------------------------------------------------------------ regions, pages
def test_regions_are_checked(runtime):
    driver = CudaDriver(0, runtime)
    address = driver.allocate(1024)
    for nbytes, message in [(512, "expected a region of 512 bytes"), (1024, "expected 1024 bytes at ... got cudaE...")]:
        runtime.device(0).fail_next("free")
        with raises(DriverError, "CudaDriver.free", message):
            driver.free(address, nbytes)
    with raises(DriverError, "CudaDriver.allocate", "expected a multiple of 512 bytes", value=100):
        driver.allocate(100)
    driver.free(address, 1024)
    assert "0 regions, 0 bytes, 0 pages" in repr(driver)


@pytest.mark.parametrize(("name", "after"), [("memory_create", 2), ("memory_map", 2), ("memory_set_access", 0)])
def test_a_refused_map_has_no_effect(runtime, monkeypatch, name, after):
    driver = CudaDriver(0, runtime)
    address = driver.reserve_addresses(8 * PAGE)
    fail_after(monkeypatch, runtime, name, after)
    with raises(
        DriverError,
        "CudaDriver.map",
        "CudaDriver",
        f"map: expected {4 * PAGE} bytes of memory",
        value="cudaErrorUnknown",
    ):
        driver.map(address, 4 * PAGE)
    monkeypatch.undo()
    assert driver.memory_info() == (32 * MIB, 32 * MIB) and not runtime._handles and not runtime._mapped
    driver.map(address, 8 * PAGE)
    runtime.device(0).launch(0, writes=[(address, 8 * PAGE)])


def test_mapping_more_than_the_capacity_fails(runtime):
    driver = CudaDriver(0, runtime)
    address = driver.reserve_addresses(32 * PAGE)
    with raises(DriverError, "CudaDriver.map", value="cudaErrorMemoryAllocation"):
        driver.map(address, 17 * PAGE)
    driver.map(address, 16 * PAGE)


@pytest.mark.parametrize("after", [0, 2])
def test_a_refused_unmap_has_no_effect(runtime, monkeypatch, after):
    driver = CudaDriver(0, runtime)
    address = driver.reserve_addresses(4 * PAGE)
    driver.map(address, 4 * PAGE)
    fail_after(monkeypatch, runtime, "memory_unmap", after)
    with raises(DriverError, "CudaDriver.unmap", "at", "to be taken back", value="cudaErrorUnknown"):
        driver.unmap(address, 4 * PAGE)
    monkeypatch.undo()
    assert driver.memory_info()[0] == 32 * MIB - 4 * PAGE
    runtime.device(0).launch(0, writes=[(address, 4 * PAGE)])
    runtime.device(0).synchronize()
    driver.unmap(address, 4 * PAGE)
    driver.free_addresses(address, 4 * PAGE)
    assert driver.memory_info()[0] == 32 * MIB and not runtime._handles


def fail_after(monkeypatch, runtime, name, calls):
    """Let a function of the runtime succeed `calls` times, and then fail."""
    works, left = getattr(runtime, name), iter(range(calls))

    def function(*arguments):
        if next(left, None) is None:
            raise RuntimeFailure("cudaErrorUnknown")
        return works(*arguments)

    monkeypatch.setattr(runtime, name, function)


# ------------------------------------------------------------------------------------------------------- pinned memory
def test_the_host_takes_other_memory_instead_of_waiting(runtime):
    device, allocator = runtime.device(0), CachingAllocator(PinnedDriver(0, runtime), small_segment=MIB)
    block = allocator.allocate(MIB)
    device.launch(7, reads=[(block.ptr, MIB, "copy")])
    block.record_use(7)
    address = block.ptr
    block.free()
    second = allocator.allocate(MIB)
    assert second.ptr != address and current(allocator, "active_bytes") == 2 * MIB
    device.complete(7)
    assert allocator.allocate(MIB).ptr == address


def test_a_stream_waits_for_a_copy_on_another(runtime):
    device, allocator = runtime.device(0), CachingAllocator(PinnedDriver(0, runtime), small_segment=MIB)
    block = allocator.allocate(MIB, stream=5)
    device.launch(7, reads=[(block.ptr, MIB, "copy")])
    block.record_use(7)
    address = block.ptr
    block.free()
    second = allocator.allocate(MIB, stream=5)
    device.launch(5, writes=[(second.ptr, MIB, "next")])
    assert second.ptr == address and device.complete(5) == 0 and device.complete(7) == 1 and device.complete(5) == 1


def test_idle_host_memory_serves_streams_but_not_the_reverse(runtime):
    device, allocator = runtime.device(0), CachingAllocator(PinnedDriver(0, runtime), small_segment=MIB)
    block = allocator.allocate(MIB)
    address = block.ptr
    block.free()
    copy = allocator.allocate(MIB, stream=7)
    assert copy.ptr == address
    device.launch(7, writes=[(copy.ptr, MIB, "copy")])
    copy.free()
    assert allocator.allocate(MIB).ptr != address, "the copy is not over"


def test_pinned_memory_during_a_capture(runtime):
    driver = PinnedDriver(0, runtime)
    runtime.device(0).begin_capture(9)
    assert [driver.is_capturing(stream) for stream in (0, 1, 9, None)] == [False, False, True, True]
    assert driver.event_done(driver.record_event(0))


def test_pinned_memory_in_use_is_not_released(runtime):
    driver = PinnedDriver(0, runtime)
    address = driver.allocate(1024)
    free, total = driver.memory_info()
    assert free == total - 1024
    runtime.device(1).launch(3, reads=[(address, 1024)])
    with raises(DriverError, "PinnedDriver.free", "the host has not seen it done"):
        driver.free(address, 1024)
    runtime.device(1).synchronize()
    driver.free(address, 1024)


# --------------------------------------------------------------------------------------------------------- bad requests
@pytest.mark.parametrize("kind", DRIVERS)
@pytest.mark.parametrize(
    ("device", "message"),
    [(2, "device < 2, the number of devices; got 2"), (-1, "got -1"), ("0", "device, an int; got '0'")],
)
def test_invalid_devices(runtime, kind, device, message):
    with raises((ValueError, TypeError), kind.__name__, message):
        kind(device, runtime)


def test_invalid_runtimes():
    with raises(TypeError, "CudaDriver", "expected runtime, as FakeRuntime(), or None", value="7 without device_count"):
        CudaDriver(0, 7)
    for options in ({"devices": 0}, {"devices": "1"}, {"host_capacity": -1}):
        with raises(ValueError, "FakeRuntime"):
            FakeRuntime(**options)
    with raises(ValueError, "device", "expected 0 <= device < 1", value=1):
        FakeRuntime().device(1)
    with pytest.raises(RuntimeFailure, match="cudaErrorInvalidDevice: device 1 of 1"):
        FakeRuntime().set_device(1)


def test_calls_that_the_fake_runtime_refuses(runtime):
    """Calls that CUDA rejects, and that a driver never makes."""
    driver = CudaDriver(0, runtime)
    address = driver.reserve_addresses(2 * PAGE)
    handle = runtime.memory_create(PAGE)
    runtime.memory_map(address, PAGE, handle)
    gone = runtime.event_create()
    runtime.event_destroy(gone)
    assert runtime.memory_info()[0] == 32 * MIB - PAGE
    with raises(DriverError, "SimulatedDriver", "not allocated"):
        runtime.device(0).launch(0, writes=[(address, 1)])  # mapped, but not accessible
    for call, arguments, code in [
        ("memory_map", (address, PAGE, handle), "cudaErrorInvalidValue"),
        ("memory_map", (address + PAGE, PAGE, 99), "cudaErrorInvalidValue"),
        ("memory_unmap", (address + PAGE, PAGE), "cudaErrorInvalidValue"),
        ("memory_release", (handle,), "cudaErrorInvalidValue"),
        ("address_free", (address, 2 * PAGE), "cudaErrorInvalidValue"),
        ("free", (address,), "cudaErrorInvalidValue"),
        ("malloc", (32 * MIB,), "cudaErrorMemoryAllocation"),
        ("malloc_host", (65 * MIB,), "cudaErrorMemoryAllocation"),
        ("event_query", (gone,), "cudaErrorInvalidResourceHandle"),
    ]:
        with pytest.raises(RuntimeFailure) as caught:
            getattr(runtime, call)(*arguments)
        assert caught.value.code == code, call
    event = runtime.event_create()
    assert runtime.event_query(event), "as long as it is not recorded"
    runtime.stream_wait_event(1, event)
    runtime.event_record(event, 1)
    runtime.set_device(1)
    with pytest.raises(RuntimeFailure, match="cudaErrorInvalidResourceHandle: an event of another device"):
        runtime.stream_wait_event(1, event)
