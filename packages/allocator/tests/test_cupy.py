"""CuPy on this package's memory: with a substitute for CuPy, and with CuPy's own classes if it is installed."""

import gc
import pickle
import sys
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import pytest
from simulated import MIB, current

import facula_allocator.cupy as plugin
from facula_allocator import (
    CachingAllocator,
    MemPool,
    OutOfMemoryError,
    device_allocator,
    known_device_allocators,
    pinned_allocator,
    set_device_allocator,
    use_mem_pool,
)
from facula_allocator._caching import devices
from facula_allocator.drivers import CudaDriver, FakeRuntime, HostDriver, PinnedDriver
from facula_errors.testing import raises


class Memory:
    """Replaces CuPy's `UnownedMemory`."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner, self.device_id = ptr, size, owner, device_id


class Pointer:
    """Replaces CuPy's `MemoryPointer` and `PinnedMemoryPointer`."""

    def __init__(self, mem, offset):
        self.ptr, self.mem = mem.ptr + offset, mem


class TheirError(MemoryError):
    def __init__(self, size, total, limit=0):
        self._size, self._total, self._limit = size, total, limit

    def __reduce__(self):
        return type(self), (self._size, self._total, self._limit)


def stand_in():
    """Return substitutes for the modules `cupy` and `cupy.cuda`."""
    cuda = ModuleType("cupy.cuda")
    cuda.memory = SimpleNamespace(OutOfMemoryError=TheirError)
    cuda.UnownedMemory, cuda.MemoryPointer, cuda.PinnedMemoryPointer = Memory, Pointer, Pointer
    cuda.runtime = SimpleNamespace()
    cuda.allocators = ["theirs"]

    @contextmanager
    def using_allocator(allocator):
        cuda.allocators.append(allocator)
        yield
        cuda.allocators.pop()

    cuda.using_allocator = using_allocator
    cuda.get_allocator = lambda: cuda.allocators[-1]
    cuda.set_allocator = lambda allocator: cuda.allocators.__setitem__(-1, allocator)
    cuda.set_pinned_memory_allocator = lambda allocator: setattr(cuda, "alloc_pinned_memory", allocator)
    cuda.alloc = lambda nbytes: cuda.allocators[-1](nbytes)
    pool = SimpleNamespace(malloc="their pinned memory")
    return SimpleNamespace(cuda=cuda, get_default_pinned_memory_pool=lambda: pool)


@pytest.fixture(params=["stand-in", "CuPy"])
def cuda(request, monkeypatch):
    """Return CuPy's module for CUDA on two fake devices, with stream 7 of the first one current."""
    if request.param == "CuPy":
        cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    else:
        cupy = stand_in()
        monkeypatch.setitem(sys.modules, "cupy", cupy)
        monkeypatch.setitem(sys.modules, "cupy.cuda", cupy.cuda)
    fake = FakeRuntime(devices=2, capacity=32 * MIB)
    monkeypatch.setattr(cupy.cuda.runtime, "getDevice", fake.get_device, raising=False)
    monkeypatch.setattr(
        cupy.cuda, "get_current_stream", lambda: SimpleNamespace(ptr=fake.current_stream()), raising=False
    )
    monkeypatch.setattr(cupy.cuda, "fake", fake, raising=False)
    fake.set_current_stream(7)
    for device in (0, 1):
        set_device_allocator(device, CachingAllocator(CudaDriver(device, fake)))
        devices._pinned[device] = CachingAllocator(PinnedDriver(device, fake))
    yield cupy.cuda
    plugin.uninstall()
    for device in (0, 1):
        set_device_allocator(device, None)
        del devices._pinned[device]
    plugin._streams.clear()
    plugin._recorded_streams.clear()


def test_arrays_count_and_free(cuda):
    before = cuda.get_allocator()
    plugin.install()
    plugin.install()
    pointer = cuda.alloc(1000)
    allocator = known_device_allocators()[0]
    assert current(allocator, "requested_bytes") == 1000 == pointer.mem.size and pointer.ptr == pointer.mem.ptr
    (segment,) = allocator.memory_snapshot()["segments"]
    assert segment["stream"] == 7 and segment["address"] == pointer.ptr
    empty = cuda.alloc(0)
    assert empty.ptr == 0 and empty.mem.size == 0
    address = pointer.ptr
    del pointer
    assert current(allocator, "allocation") == 0 and cuda.alloc(900).ptr == address
    plugin.uninstall()
    assert cuda.get_allocator() == before
    plugin.uninstall()


def test_each_device_has_its_allocator(cuda):
    own = CachingAllocator(CudaDriver(1, cuda.fake))
    with plugin.using(own):
        first = cuda.alloc(1000)
        cuda.fake.set_device(1)
        second = cuda.alloc(1000)
    assert (first.mem.device_id, second.mem.device_id) == (0, 1)
    assert [current(one, "allocation") for one in (device_allocator(0), device_allocator(1), own)] == [1, 0, 1]


def test_a_graph_has_its_own_pool(cuda):
    plugin.install()
    outside = cuda.alloc(1000).ptr
    pool = MemPool(device_allocator(0))
    cuda.fake.device(0).begin_capture(7)
    with use_mem_pool(pool):
        inside = cuda.alloc(1000).ptr
    cuda.fake.device(0).end_capture(7)
    assert cuda.alloc(1000).ptr == outside != inside and device_allocator(0).empty_cache() == 0


def test_a_use_on_another_stream_delays_reuse(cuda):
    plugin.install()
    array = SimpleNamespace(data=cuda.alloc(MIB))
    address, device = array.data.ptr, cuda.fake.device(0)
    device.launch(8, reads=[(address, MIB, "first")])
    plugin.record_use(array, SimpleNamespace(ptr=8))
    plugin.record_use(array)
    array.data = None
    again = cuda.alloc(MIB)
    device.launch(7, writes=[(again.ptr, MIB, "second")])  # another owner: refused unless the work is ordered
    for wrong in (7, SimpleNamespace(data=None)):
        with raises(TypeError, "record_use", "expected array, with memory of this package"):
            plugin.record_use(wrong)


def test_pinned_memory_waits_for_all_known_streams(cuda):
    plugin.install()
    kept = cuda.alloc(100)
    pinned = cuda.alloc_pinned_memory(MIB)
    assert pinned.mem.size == MIB and current(pinned_allocator(0), "requested_bytes") == MIB
    cuda.fake.device(0).launch(7, writes=[(pinned.ptr, MIB, "copy")])
    address = pinned.ptr
    del pinned
    assert cuda.alloc_pinned_memory(MIB).ptr != address and kept
    cuda.fake.device(0).complete(7)
    pinned_allocator(0).empty_cache()
    assert current(pinned_allocator(0), "reserved_bytes") == 0
    with pytest.raises(MemoryError):
        cuda.alloc_pinned_memory(1 << 40)


def test_the_default_stream_has_another_number_for_pinned_memory(cuda):
    plugin.install()
    cuda.fake.set_current_stream(0)
    pinned = cuda.alloc_pinned_memory(MIB)
    del pinned
    cuda.alloc_pinned_memory(MIB)
    assert ("record_event", 1) in cuda.fake.device(0).log


def test_the_error_is_cupys_and_ours(cuda):
    plugin.install()
    held = [cuda.alloc(20 * MIB)]
    for kind in (OutOfMemoryError, cuda.memory.OutOfMemoryError, MemoryError):
        with pytest.raises(kind) as caught:
            held.append(cuda.alloc(20 * MIB))
    error = caught.value
    assert error.requested == 20 * MIB and type(error).__name__ == "OutOfMemoryError"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is OutOfMemoryError and str(again) == str(error)
    assert device_allocator(0).memory_stats()["num_ooms"] == 3


def test_streams_are_kept_while_they_have_blocks(cuda):
    plugin.install()
    kept = []
    for number in range(10, 10 + 3 * plugin._MANY):
        cuda.fake.set_current_stream(number)
        kept.append(cuda.alloc(512))
        if number == 10:
            plugin.record_use(SimpleNamespace(data=kept[-1]), SimpleNamespace(ptr=9))
        elif number > 12:
            kept.pop()
            device_allocator(0).empty_cache()
    assert {(0, 9), (0, 10), (0, 11), (0, 12)} <= set(plugin._streams) and len(plugin._streams) <= plugin._MANY


def test_refused_calls(cuda):
    for wrong, message in [
        (7, "expected allocator, a CachingAllocator or None; got 7"),
        (CachingAllocator(HostDriver()), "an allocator over CudaDriver or ManagedDriver; got <CachingAllocator"),
    ]:
        with raises((TypeError, ValueError), "install", message):
            plugin.install(wrong)
    plugin.install()
    cuda.fake.set_current_stream(2)
    with raises(NotImplementedError, "allocate", value="the default stream per thread"):
        cuda.alloc(1)


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    for call in (plugin.install, plugin.uninstall, plugin.using().__enter__, lambda: plugin.record_use(7)):
        with raises(ImportError, "...", "expected CuPy to be installed; got", "pip install"):
            call()


def test_known_allocators_are_those_used_so_far(monkeypatch):
    assert known_device_allocators() == {}
    mine = CachingAllocator(CudaDriver(0, FakeRuntime()))
    monkeypatch.setattr(devices, "CudaDriver", lambda device: CudaDriver(device, FakeRuntime(4)))
    monkeypatch.setattr(devices, "PinnedDriver", lambda device: PinnedDriver(device, FakeRuntime(4)))
    found = device_allocator(3)
    assert device_allocator(3) is found and found.driver.device == 3
    set_device_allocator(0, mine)
    assert device_allocator() is mine and known_device_allocators() == {0: mine, 3: found}
    set_device_allocator(0, mine)
    with raises(RuntimeError, "set_device_allocator", "expected device 0 without an allocator"):
        set_device_allocator(0, found)
    for wrong in (("0", mine), (0, 7), (-1, mine)):
        with raises((TypeError, ValueError), "set_device_allocator"):
            set_device_allocator(*wrong)
    with raises(ValueError, "CudaDriver", "expected 0 <= device < 4"):
        device_allocator(9)
    assert pinned_allocator(2) is pinned_allocator(2)
    devices._pinned.clear()
    for device in (0, 3):
        set_device_allocator(device, None)
    gc.collect()
    assert known_device_allocators() == {}


def test_cupys_arrays():
    """The parts of an array that need no device: it is created over this package's memory, sliced, and frees it."""
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    allocator = CachingAllocator(CudaDriver(0, FakeRuntime()))
    function = plugin._memory_function(
        SimpleNamespace(
            UnownedMemory=cupy.cuda.UnownedMemory,
            MemoryPointer=cupy.cuda.MemoryPointer,
            runtime=SimpleNamespace(getDevice=lambda: 0),
            get_current_stream=lambda: SimpleNamespace(ptr=7),
        ),
        "test",
        allocator,
    )
    array = cupy.ndarray((10, 100), "f4", memptr=function(4000))
    part = array[3:5]
    assert part.data.ptr == array.data.ptr + 1200 and current(allocator, "requested_bytes") == 4000
    plugin._cuda("test")
    del array
    assert current(allocator, "allocation") == 1
    del part
    assert current(allocator, "allocation") == 0
    plugin._streams.clear()


def test_cupys_pinned_pointers_over_real_memory(monkeypatch):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    numpy = pytest.importorskip("numpy")
    monkeypatch.setitem(devices._pinned, 0, CachingAllocator(HostDriver()))
    cuda = SimpleNamespace(
        PinnedMemoryPointer=cupy.cuda.PinnedMemoryPointer,
        runtime=SimpleNamespace(getDevice=lambda: 0),
        get_current_stream=lambda: SimpleNamespace(ptr=7),
    )
    pointer = plugin._pinned_function(cuda)(4000)
    array = numpy.frombuffer(pointer, "f4", 1000)
    array[:] = 3
    assert pointer.size() == 4000 and float(array.sum()) == 3000
    del pointer
    assert current(pinned_allocator(0), "allocation") == 1
    del array
    assert current(pinned_allocator(0), "allocation") == 0
    plugin._streams.clear()
