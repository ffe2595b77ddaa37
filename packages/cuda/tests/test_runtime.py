"""The allocator's drivers over CUDA's driver, without CuPy: device memory, pages, and pinned memory."""

import pytest

import facula_allocator
import facula_cuda as cuda
from facula_allocator import CachingAllocator, OutOfMemoryError
from facula_allocator.drivers import CudaDriver, ManagedDriver, RuntimeFailure, supports_virtual_memory
from facula_cuda._driver import ffi, lib
from facula_cuda._port import devices, pinned
from facula_cuda._port.runtime import DriverRuntime
from facula_cuda.testing import driver_calls, failing
from facula_cuda.testing._simulation import end_simulation

pytestmark = pytest.mark.usefixtures("two_devices")


@pytest.fixture
def runtime():
    return DriverRuntime()


@pytest.fixture
def allocator(runtime):
    return CachingAllocator(CudaDriver(0, runtime))


def fill(stream, address, nbytes, value=1):
    devices.context(0)
    assert lib.driver.cuMemsetD8Async(address, value, nbytes, stream.handle) == 0


def test_blocks_are_reused(allocator):
    block = allocator.allocate(1 << 20)
    address = block.ptr
    block.free()
    before = driver_calls()
    assert allocator.allocate(1 << 20).ptr == address
    assert not (driver_calls() - before)["cuMemAlloc_v2"]


def test_a_block_waits_for_another_stream(allocator):
    stream = cuda.Stream()
    block = allocator.allocate(1 << 20)
    address = block.ptr
    fill(stream, address, 1 << 20)
    block.record_use(stream.handle)
    block.free()
    other = allocator.allocate(1 << 20)
    assert other.ptr != address
    stream.synchronize()
    other.free()
    blocks = [allocator.allocate(1 << 20) for _ in range(2)]
    assert address in {block.ptr for block in blocks}


def test_memory_runs_out(allocator):
    with pytest.raises(OutOfMemoryError):
        allocator.allocate(128 << 20)
    free, total = allocator.driver.memory_info()
    assert total == 64 << 20 and free <= total


def test_idle_memory_is_released_when_memory_runs_out(allocator):
    allocator.allocate(40 << 20).free()
    assert allocator.allocate(60 << 20).ptr


@pytest.mark.parametrize("index", [0, 1])
def test_pages(runtime, index):
    allocator_driver = CudaDriver(index, runtime)
    assert supports_virtual_memory(allocator_driver)
    page = allocator_driver.page_size
    address = allocator_driver.reserve_addresses(4 * page)
    allocator_driver.map(address, 2 * page)
    devices.context(index)
    assert lib.driver.cuMemsetD8Async(address, 5, 2 * page, 0) == 0
    cuda.synchronize(index)
    allocator_driver.unmap(address, 2 * page)
    allocator_driver.free_addresses(address, 4 * page)
    assert cuda.current_device() == 0


def test_a_device_without_pages(runtime, monkeypatch):
    monkeypatch.setattr("facula_cuda._port.runtime.attribute", lambda index, number: 0)
    assert CudaDriver(0, runtime).page_size == 0


def test_memory_of_the_second_device(runtime):
    second = CachingAllocator(CudaDriver(1, runtime))
    block = second.allocate(1 << 20)
    assert block.ptr and cuda.current_device() == 0
    devices.context(1)
    assert lib.driver.cuMemsetD8Async(block.ptr, 1, 1 << 20, 0) == 0
    cuda.synchronize(1)


def test_managed_memory(runtime):
    managed = ManagedDriver(0, runtime)
    address = managed.allocate(1 << 20)
    managed.free(address, 1 << 20)


def test_refusals_name_the_code(runtime):
    with failing("cuMemAlloc_v2", 2), pytest.raises(RuntimeFailure, match="CUDA_ERROR_OUT_OF_MEMORY"):
        runtime.malloc(512)
    with failing("cuDevicePrimaryCtxRetain", 2):
        devices.set_index(1)
        with pytest.raises(RuntimeFailure, match="no context: cuda: device 1"):
            runtime.malloc(512)


def test_events(runtime):
    stream, event = cuda.Stream(), runtime.event_create()
    address = runtime.malloc(512)
    fill(stream, address, 512)
    runtime.event_record(event, stream.handle)
    assert not runtime.event_query(event)
    runtime.synchronize()
    assert runtime.event_query(event)
    runtime.stream_wait_event(0, event)
    runtime.event_destroy(event)
    with failing("cuEventQuery", 700), pytest.raises(RuntimeFailure, match="ILLEGAL_ADDRESS"):
        runtime.event_query(runtime.event_create())


def test_captures(runtime):
    stream = cuda.Stream()
    assert not runtime.stream_is_capturing(stream.handle)
    previous = runtime.exchange_capture_mode(2)
    assert runtime.exchange_capture_mode(previous) == 2
    assert lib.driver.cuStreamBeginCapture_v2(stream.handle, 2) == 0
    assert runtime.stream_is_capturing(stream.handle)
    graph = ffi.new("int64_t *")
    assert lib.driver.cuStreamEndCapture(stream.handle, graph) == 0
    with failing("cuStreamIsCapturing", 906), pytest.raises(RuntimeFailure, match="cudaErrorStreamCaptureImplicit"):
        runtime.stream_is_capturing(0)


# Allocators of the process --------------------------------------------------------------------------------------------


def test_one_allocator_for_each_device():
    allocator = cuda.device_allocator(1)
    assert allocator is cuda.device_allocator("cuda:1") is facula_allocator.device_allocator(1)
    assert allocator.driver.device == 1
    block = allocator.allocate(1 << 20)
    assert allocator.memory_stats()["allocated_bytes.all.current"] == 1 << 20
    block.free()


def test_an_allocator_that_another_library_set_is_shared(runtime):
    other = CachingAllocator(CudaDriver(0, runtime))
    facula_allocator.set_device_allocator(0, other)
    try:
        assert cuda.device_allocator() is other
        end_simulation()
        assert facula_allocator.known_device_allocators()[0] is other
    finally:
        facula_allocator.set_device_allocator(0, None)


def test_a_closed_driver_leaves_no_allocator():
    cuda.device_allocator(0)
    end_simulation()
    assert 0 not in facula_allocator.known_device_allocators()


# Pinned memory --------------------------------------------------------------------------------------------------------


def test_pinned_memory_is_the_hosts():
    block = cuda.pinned_allocator().allocate(4096)
    memory = ffi.buffer(ffi.cast("char *", block.ptr), 4096)
    memory[:] = b"\7" * 4096
    address = DriverRuntime().malloc(4096)
    assert lib.driver.cuMemcpyHtoDAsync_v2(address, ffi.cast("void *", block.ptr), 4096, 0) == 0
    target = ffi.new("char[4096]")
    assert lib.driver.cuMemcpyDtoHAsync_v2(target, address, 4096, 0) == 0
    cuda.synchronize()
    assert bytes(ffi.buffer(target)) == b"\7" * 4096


@pytest.mark.parametrize("default", [True, False])
def test_pinned_memory_is_not_reused_before_its_copies_are_complete(default):
    allocator, stream = cuda.pinned_allocator(), cuda.default_stream() if default else cuda.Stream()
    block = allocator.allocate(1 << 20)
    address, device = block.ptr, DriverRuntime().malloc(1 << 20)
    host = ffi.cast("void *", address)
    assert lib.driver.cuMemcpyHtoDAsync_v2(device, host, 1 << 20, stream.handle) == 0
    pinned.record_use(block, stream.handle)
    block.free()
    other = allocator.allocate(1 << 20)
    assert other.ptr != address
    stream.synchronize()
    assert allocator.allocate(1 << 20).ptr == address


def test_one_pinned_allocator_for_each_device():
    assert cuda.pinned_allocator() is cuda.pinned_allocator(0) is not cuda.pinned_allocator("cuda:1")


def test_pinned_memory_is_released():
    before = driver_calls()
    allocator = cuda.pinned_allocator()
    allocator.allocate(1 << 20).free()
    assert allocator.empty_cache() > 0
    made = driver_calls() - before
    assert made["cuMemHostAlloc"] == made["cuMemFreeHost"] == 1
