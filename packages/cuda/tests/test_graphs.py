"""CUDA graphs on the simulated driver: captures, replays, private pools and refusals."""

import gc

import pytest

import facula_cuda as cuda
from facula_cuda._compile.modules import functions
from facula_cuda._driver import ffi, lib
from facula_cuda._port import devices
from facula_cuda._port.driver import check, relaxed_captures
from facula_cuda.testing import driver_calls, pending, simulate
from facula_cuda.testing._simulation import end_simulation
from facula_errors.testing import raises

pytestmark = pytest.mark.usefixtures("two_devices")

NBYTES = 512


def memory(index=0):
    devices.context(index)
    address = ffi.new("uint64_t *")
    assert lib.driver.cuMemAlloc_v2(address, NBYTES) == 0
    return int(address[0])


def fill(address, value):
    """Queue work on the current stream: bytes of memory become `value`."""
    devices.context(cuda.current_device())
    assert lib.driver.cuMemsetD8Async(address, value, NBYTES, lib.facula_cuda_current_stream()) == 0


def copy(target, source):
    """Queue a copy of device memory on the current stream."""
    devices.context(cuda.current_device())
    assert lib.driver.cuMemcpyDtoDAsync_v2(target, source, NBYTES, lib.facula_cuda_current_stream()) == 0


def read(address):
    target = ffi.new("char[]", NBYTES)
    devices.context(cuda.current_device())
    assert lib.driver.cuMemcpyDtoHAsync_v2(target, address, NBYTES, 0) == 0
    cuda.synchronize()
    return set(bytes(ffi.buffer(target)))


def captured_copy(target, source, **options):
    captured = cuda.CUDAGraph()
    with cuda.graph(captured, **options):
        copy(target, source)
    return captured


def test_a_replay_does_the_captured_work_again():
    source, target = memory(), memory()
    captured = captured_copy(target, source)
    assert pending() == 0  # nothing ran, and nothing is queued
    for value in (3, 7):
        fill(source, value)
        captured.replay()
        assert read(target) == {value}
    assert "captured" in repr(captured)


def test_a_capture_begins_after_one_wait_for_all_work():
    before = cuda.waits()  # a wait also reports what kernels found
    captured_copy(memory(), memory())
    assert cuda.waits() == before + 1


def test_a_replay_is_queued_on_the_current_stream():
    source, target = memory(), memory()
    captured, stream = captured_copy(target, source), cuda.Stream()
    with stream:
        captured.replay()
    assert not stream.query()
    stream.synchronize()
    assert pending() == 0


def test_the_block_uses_a_stream_of_its_own_and_restores():
    captured = cuda.CUDAGraph()
    assert not cuda.is_current_stream_capturing()
    with cuda.graph(captured):
        assert cuda.current_stream().handle
        assert cuda.is_current_stream_capturing()
        assert "capturing" in repr(captured)
    assert cuda.current_stream() == cuda.default_stream()
    stream = cuda.Stream(1)
    with cuda.device(1), cuda.graph(cuda.CUDAGraph(), stream=stream):
        assert cuda.current_stream() is stream


def test_two_devices():
    source, target = memory(1), memory(1)
    with cuda.device(1):
        captured = captured_copy(target, source)
        fill(source, 9)
    assert captured.device_index == 1
    captured.replay()  # on the graph's device
    with cuda.device(1):
        assert read(target) == {9}


def test_memory_of_a_graph_is_kept_for_it():
    allocator, captured = cuda.device_allocator(), cuda.CUDAGraph()
    with cuda.graph(captured):
        block = allocator.allocate(NBYTES, cuda.current_stream().handle)
        address = block.ptr
        fill(address, 1)
        block.free()
        again = allocator.allocate(NBYTES, cuda.current_stream().handle)
        assert again.ptr == address  # in the capture, memory is reused
        again.free()
    others = [allocator.allocate(NBYTES, each.handle) for each in (cuda.Stream(), cuda.default_stream())]
    assert address not in {other.ptr for other in others}
    allocator.empty_cache()
    captured.replay()
    cuda.synchronize()
    before = allocator.memory_stats()["reserved_bytes.all.current"]
    captured.reset()
    allocator.empty_cache()
    assert allocator.memory_stats()["reserved_bytes.all.current"] < before


def test_graphs_share_a_pool():
    allocator, addresses = cuda.device_allocator(), []
    graphs = [cuda.CUDAGraph(), cuda.CUDAGraph(), cuda.CUDAGraph()]
    stream = cuda.Stream()
    for captured, pool in ((graphs[0], None), (graphs[1], "first"), (graphs[2], None)):
        handle = graphs[0].pool() if pool else None
        with cuda.graph(captured, pool=handle, stream=stream):
            block = allocator.allocate(NBYTES, stream.handle)
            addresses.append(block.ptr)
            block.free()
    assert addresses[0] == addresses[1] != addresses[2]
    assert graphs[0].pool() == graphs[1].pool() != graphs[2].pool()


def test_a_pool_handle_is_a_pool_once_it_is_used():
    handle = cuda.graph_pool_handle()
    captured = cuda.CUDAGraph()
    with cuda.graph(captured, pool=handle):
        pass
    assert captured.pool() == handle


def test_a_dropped_graph_waits_for_its_replays():
    source, target = memory(), memory()
    captured, stream = captured_copy(target, source), cuda.Stream()
    with stream:
        captured.replay()
    before = driver_calls()
    del captured
    gc.collect()
    assert stream.query()
    assert (driver_calls() - before)["cuGraphExecDestroy"] == 1


def test_events_order_streams_of_a_capture():
    source, middle, target = memory(), memory(), memory()
    side = cuda.Stream()
    captured = cuda.CUDAGraph()
    with cuda.graph(captured):
        copy(middle, source)
        side.wait_stream(cuda.current_stream())
        with side:
            copy(target, middle)
        cuda.current_stream().wait_stream(side)
    fill(source, 4)
    captured.replay()
    assert read(target) == {4}


def test_a_wait_in_a_capture_is_refused_and_ends_it():
    captured = cuda.CUDAGraph()
    with raises(cuda.CudaError, "synchronize", value="CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"), cuda.graph(captured):
        cuda.synchronize()
    assert "empty" in repr(captured)
    assert cuda.current_stream() == cuda.default_stream()
    cuda.synchronize()
    source, target = memory(), memory()
    with cuda.graph(captured):
        copy(target, source)
    captured.replay()


def test_an_invalid_capture_is_reported_by_its_end():
    captured = cuda.CUDAGraph()
    with raises(cuda.CudaError, "CUDAGraph.capture_end", value="CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"):
        with cuda.graph(captured), raises(cuda.CudaError, "synchronize"):
            cuda.synchronize()
    assert "empty" in repr(captured)


def test_the_programs_error_leaves_the_block():
    captured = cuda.CUDAGraph()
    with pytest.raises(KeyError), cuda.graph(captured):
        raise KeyError
    assert not cuda.is_current_stream_capturing()
    with cuda.graph(captured):
        pass


def test_begin_and_end_without_a_block():
    captured, stream, source, target = cuda.CUDAGraph(), cuda.Stream(), memory(), memory()
    with stream:
        captured.capture_begin(capture_error_mode="thread_local")
        copy(target, source)
        captured.capture_end()
    fill(source, 2)
    captured.replay()
    assert read(target) == {2}


def test_an_empty_graph_has_no_replay_and_no_pool():
    captured = cuda.CUDAGraph()
    with raises(RuntimeError, "CUDAGraph.replay", "facula_cuda.graph()", value="none"):
        captured.replay()
    with raises(RuntimeError, "CUDAGraph.pool", "graph_pool_handle()", value="none"):
        captured.pool()
    with raises(RuntimeError, "CUDAGraph.capture_end", "capture_begin()", value="none"):
        captured.capture_end()
    captured.reset()


def test_captures_that_are_refused():
    captured = cuda.CUDAGraph()
    with raises(RuntimeError, "CUDAGraph.capture_begin", "facula_cuda.graph()", value="the default stream"):
        captured.capture_begin()
    with raises(ValueError, "CUDAGraph.capture_begin", "'global', 'thread_local', 'relaxed'", value="'strict'"):
        captured.capture_begin(capture_error_mode="strict")
    with cuda.Stream():
        with raises(TypeError, "CUDAGraph.capture_begin", "pool", value=7):
            captured.capture_begin(pool=7)
        captured.capture_begin()
        with raises(RuntimeError, "CUDAGraph.capture_begin", "reset()", value="one that has been captured"):
            captured.capture_begin()
        with raises(RuntimeError, "CUDAGraph.reset", "capture_end()", value="a running capture"):
            captured.reset()
        captured.capture_end()
    with raises(RuntimeError, "CUDAGraph.capture_begin", "reset()"), cuda.graph(captured):
        pass
    with raises(TypeError, "graph", "a CUDAGraph", value=None), cuda.graph(None):
        pass


def test_a_graph_of_a_closed_driver_is_refused():
    captured = captured_copy(memory(), memory())
    end_simulation()
    simulate(devices=2, order="in_order", memory=64 << 20)
    with raises(RuntimeError, "CUDAGraph.replay", "driver that is open", "Capture it again"):
        captured.replay()
    captured.reset()
    captured = captured_copy(memory(), memory())
    captured.replay()


def test_a_kernel_is_loaded_in_a_capture():
    """Check the first use of a kernel, whose module is loaded then."""
    source = "#include <stdint.h>\nstruct args { int64_t n; float *to; };\nKERNEL(set, args) { p.to[threadIdx.x] = 3; }"
    target, captured = memory(), cuda.CUDAGraph()
    with cuda.graph(captured):
        (function,) = functions(source, ("set",), 0)
        words = ffi.new("int64_t[2]", (1, target))
        nbytes = ffi.new("size_t *", 16)
        extra = ffi.new("void *[5]", [ffi.cast("void *", 1), words, ffi.cast("void *", 2), nbytes, ffi.NULL])
        stream = lib.facula_cuda_current_stream()
        assert lib.driver.cuLaunchKernel(function, 1, 1, 1, NBYTES // 4, 1, 1, 0, stream, ffi.NULL, extra) == 0
    fill(target, 0)
    captured.replay()
    assert read(target) == {0, 0x40}  # the bytes of 3.0 in float32


def test_the_capture_mode_is_restored():
    def mode():
        number = ffi.new("int *", 0)
        assert lib.driver.cuThreadExchangeStreamCaptureMode(number) == 0
        return number[0]

    with raises(cuda.CudaError, "work"), relaxed_captures():
        assert mode() == 2
        check("work", 1)
    assert mode() == 0
