"""The drivers and the CuPy integration on a real device; skipped without one."""

import threading

import pytest
from simulated import MIB, current

import facula_allocator.cupy as plugin
from facula_allocator import CachingAllocator, MemPool, OutOfMemoryError, use_mem_pool
from facula_allocator.drivers import CudaDriver, DriverError, ManagedDriver, PinnedDriver, supports_virtual_memory
from facula_errors.testing import raises

DRIVERS = [CudaDriver, ManagedDriver, PinnedDriver]


@pytest.fixture(scope="module")
def cupy():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    try:
        CudaDriver()
    except RuntimeError as error:
        pytest.skip(f"no device: {error}")
    return cupy


@pytest.fixture
def allocator(cupy):
    """Return an allocator that CuPy uses; check at the end that no memory is in use."""
    allocator = CachingAllocator(CudaDriver())
    with plugin.using(allocator):
        yield allocator
    cupy.cuda.Device(0).synchronize()
    assert current(allocator, "allocation") == 0
    allocator.empty_cache()
    assert current(allocator, "reserved_bytes") == 0
    plugin._streams.clear()
    plugin._recorded_streams.clear()


def array_at(cupy, address, nbytes):
    """Return an array of bytes over a driver's memory."""
    memory = cupy.cuda.UnownedMemory(address, nbytes, None, 0)
    return cupy.ndarray((nbytes,), "u1", memptr=cupy.cuda.MemoryPointer(memory, 0))


def work(cupy, stream, seconds=0.2):
    """Keep a stream busy for about this long."""
    kernel = cupy.RawKernel(
        'extern "C" __global__ void spin(long long n) { long long t = clock64(); while (clock64() - t < n) {} }', "spin"
    )
    rate = cupy.cuda.runtime.deviceGetAttribute(cupy.cuda.runtime.cudaDevAttrClockRate, 0) * 1000
    with stream:
        kernel((1,), (1,), (cupy.int64(int(seconds * rate)),))


@pytest.mark.parametrize("kind", DRIVERS)
def test_memory_and_events(cupy, kind):
    driver, stream = kind(), cupy.cuda.Stream(non_blocking=True)
    free, total = driver.memory_info()
    assert 0 < free <= total
    address = driver.allocate(64 * MIB)
    assert address % 512 == 0
    array = array_at(cupy, address, 64 * MIB)
    array.fill(7)
    assert int(array[::4096].sum()) == 7 * 64 * 256
    work(cupy, stream)
    event = driver.record_event(stream.ptr)
    assert not driver.event_done(event)
    other = cupy.cuda.Stream(non_blocking=True)
    driver.wait_event(other.ptr, event)
    assert not other.done
    driver.synchronize()
    assert driver.event_done(event) and other.done
    driver.free_event(event)
    assert driver.record_event(stream.ptr) == event
    driver.free(address, 64 * MIB)
    with raises(DriverError, "CudaDriver.allocate"):
        driver.allocate(1 << 50)


def test_pages(cupy):
    driver = CudaDriver()
    if not supports_virtual_memory(driver):
        pytest.skip("cuda-bindings is not installed")
    page = driver.page_size
    address = driver.reserve_addresses(8 * page)
    before = driver.memory_info()[0]
    driver.map(address, 8 * page)
    assert address % page == 0 and before - driver.memory_info()[0] >= 8 * page
    array = array_at(cupy, address, 8 * page)
    array[:] = cupy.arange(8 * page, dtype="u8").astype("u1")
    total = int(array.sum(dtype="u8"))
    driver.synchronize()
    driver.unmap(address + 2 * page, page)
    assert int(array[: 2 * page].sum(dtype="u8")) + int(array[3 * page :].sum(dtype="u8")) == total * 7 // 8
    driver.synchronize()
    driver.map(address + 2 * page, page)
    array.fill(1)
    assert int(array.sum(dtype="u8")) == 8 * page
    driver.synchronize()
    driver.unmap(address, 8 * page)
    driver.free_addresses(address, 8 * page)


@pytest.mark.parametrize("non_blocking", [True, False])
def test_a_capture(cupy, non_blocking):
    driver, stream = CudaDriver(), cupy.cuda.Stream(non_blocking=non_blocking)
    seen = []
    with stream:
        stream.begin_capture(cupy.cuda.runtime.streamCaptureModeRelaxed)
        seen += [driver.is_capturing(), driver.is_capturing(stream.ptr)]
        thread = threading.Thread(target=lambda: seen.append(driver.is_capturing()))
        thread.start()
        thread.join()
        address = driver.allocate(2 * MIB)
        with raises(DriverError, "...", "a stream under capture"):
            driver.record_event(stream.ptr)
        graph = stream.end_capture()
    assert seen == [True, True, not non_blocking] and graph and not driver.is_capturing()
    driver.free(address, 2 * MIB)


def test_a_graph_in_its_own_pool(cupy, allocator):
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.arange(1 << 20, dtype="f4")
        y = x * 2 + 1  # compiles the kernels
        stream.synchronize()
        pool = MemPool(allocator)
        with use_mem_pool(pool):
            stream.begin_capture()
            y = x * 2 + 1
            graph = stream.end_capture()
        noise = [cupy.full(1 << 20, 9, dtype="f4") for _ in range(8)]
        graph.launch(stream)
        stream.synchronize()
        assert float(y[1000]) == 2001 and float(noise[3][5]) == 9
    del x, y, noise, graph


def test_arrays(cupy, allocator):
    for _ in range(3):
        x = cupy.arange(1 << 20, dtype="f8")
        assert float((x[::2] * 2).sum()) == 2.0 * sum(range(0, 1 << 20, 2))
        assert current(allocator, "requested_bytes") >= 8 << 20
        del x
    with pytest.raises(cupy.cuda.memory.OutOfMemoryError) as caught:
        cupy.empty(1 << 45, dtype="u1")
    assert isinstance(caught.value, OutOfMemoryError)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_use_on_another_stream(cupy, allocator, recorded):
    """Without `record_use` the memory is reused immediately, which proves that the wait is necessary."""
    first, second = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    with first:
        x = cupy.full(1 << 20, 3, dtype="f4")
        address = x.data.ptr
        first.synchronize()
    work(cupy, second)
    with second:
        y = x + 1
        if recorded:
            plugin.record_use(x)
    del x
    with first:
        z = cupy.full(1 << 20, 100, dtype="f4")
        assert z.data.ptr == address or recorded
        first.synchronize()
    second.synchronize()
    assert float(y[7]) == (4 if recorded else 101)
    del y, z


def test_pinned_memory_outlives_its_copy(cupy):
    import numpy

    plugin.install(CachingAllocator(CudaDriver()))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        target = cupy.zeros(1 << 20, dtype="u1")
        stream.synchronize()
        work(cupy, stream)
        pinned = cupy.cuda.alloc_pinned_memory(1 << 20)
        numpy.frombuffer(pinned, "u1")[:] = 5
        target.data.copy_from_host_async(pinned.ptr, 1 << 20, stream)
        del pinned
        again = cupy.cuda.alloc_pinned_memory(1 << 20)
        numpy.frombuffer(again, "u1")[:] = 9
        stream.synchronize()
    plugin.uninstall()
    assert int(target.max()) == 5
    plugin._streams.clear()
