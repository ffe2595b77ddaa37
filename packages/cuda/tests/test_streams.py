"""Streams and events of the simulated driver: PyTorch's semantics."""

import gc
from concurrent.futures import ThreadPoolExecutor

import pytest
from forked import in_child

import facula_cuda as cuda
from facula_cuda._driver import ffi, lib
from facula_cuda._port import devices, driver
from facula_cuda.testing import driver_calls, failing, pending
from facula_cuda.testing._simulation import end_simulation
from facula_errors.testing import raises
from facula_storage import Device

pytestmark = pytest.mark.usefixtures("two_devices")


def in_thread(function, *arguments):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result()


def memory(index=0, nbytes=64):
    """Return an address of device memory, which lasts as long as the simulation."""
    devices.context(index)
    address = ffi.new("uint64_t *")
    assert lib.driver.cuMemAlloc_v2(address, nbytes) == 0
    return int(address[0])


def queue(stream, address, value=1, nbytes=64):
    """Queue work on a stream: bytes of memory become `value`."""
    devices.context(stream.device_index)
    assert lib.driver.cuMemsetD8Async(address, value, nbytes, stream.handle) == 0


def selected():
    return cuda.current_device(), cuda.current_stream().handle, lib.facula_cuda_current_stream()


def test_the_default_stream_is_current_at_first():
    assert cuda.current_stream() == cuda.default_stream()
    assert cuda.current_stream().handle == cuda.default_stream(1).handle == 0
    assert cuda.default_stream(0) != cuda.default_stream(1)
    assert cuda.current_stream(1).device is Device("cuda:1")


def test_streams_have_a_device_a_handle_and_a_priority():
    stream = cuda.Stream("cuda:1", priority=-1)
    assert (stream.device, stream.device_index, stream.priority) == (Device("cuda:1"), 1, -1)
    assert stream.handle == stream.cuda_stream == stream.stream_id != 0
    with cuda.device(1):
        assert cuda.Stream().device_index == 1
    assert "cuda:1" in repr(stream)


def test_equal_streams_are_equal():
    stream = cuda.Stream()
    external = cuda.ExternalStream(stream.handle)
    assert external == stream and hash(external) == hash(stream)
    assert stream != cuda.Stream() and stream != stream.handle


def test_work_on_a_stream_is_waited_for():
    stream, address = cuda.Stream(), memory()
    assert stream.query()
    queue(stream, address)
    assert pending() == 1
    assert not stream.query()
    stream.synchronize()
    assert stream.query() and pending() == 0


def test_synchronizing_a_device_waits_for_its_streams_alone():
    streams = [cuda.Stream(index) for index in (0, 0, 1)]
    for stream in streams:
        queue(stream, memory(stream.device_index))
    cuda.synchronize(0)
    assert [stream.query() for stream in streams] == [True, True, False]
    with cuda.device(1):
        cuda.synchronize()
    assert streams[2].query()


def test_a_block_selects_a_stream_and_its_device():
    first, second = cuda.Stream(0), cuda.Stream(1)
    with cuda.stream(first):
        assert selected() == (0, first.handle, first.handle)
        assert cuda.current_stream() is first
        with second as entered:
            assert entered is second
            assert selected() == (1, second.handle, second.handle)
            assert cuda.current_stream(0) is first
            with cuda.stream(None):
                assert selected() == (1, second.handle, second.handle)
        assert selected() == (0, first.handle, first.handle)
        assert cuda.current_stream(1) == cuda.default_stream(1)
    assert selected() == (0, 0, 0)


def test_a_block_restores_after_an_error():
    stream = cuda.Stream(1)
    with pytest.raises(KeyError), stream:
        raise KeyError
    with pytest.raises(KeyError), cuda.stream(stream):
        raise KeyError
    assert selected() == (0, 0, 0)


def test_the_selection_belongs_to_a_thread():
    stream = cuda.Stream()
    with stream:
        assert in_thread(selected) == (0, 0, 0)
        assert in_thread(lambda: stream.__enter__() and selected()) == (0, stream.handle, stream.handle)
    assert selected() == (0, 0, 0)


def test_one_stream_is_entered_by_threads_and_again():
    stream, other = cuda.Stream(), cuda.Stream()
    with stream, other, stream:
        assert in_thread(lambda: (stream.__enter__(), stream.__exit__(None, None, None), selected())[2]) == (0, 0, 0)
        assert cuda.current_stream() is stream
    assert selected() == (0, 0, 0)


def test_set_stream():
    stream = cuda.Stream(1)
    cuda.set_stream(stream)
    assert selected() == (1, stream.handle, stream.handle)
    cuda.set_stream(None)
    assert cuda.current_stream() is stream
    cuda.set_stream(cuda.default_stream(0))
    assert selected() == (0, 0, 0)


def test_a_current_stream_is_kept_alive():
    cuda.set_stream(cuda.Stream())
    handle = lib.facula_cuda_current_stream()
    gc.collect()
    assert cuda.Stream().handle != handle


def test_a_stream_selected_from_c_is_found():
    stream = cuda.Stream()
    lib.facula_cuda_set_stream(stream.handle)
    assert cuda.current_stream() is stream
    lib.facula_cuda_set_stream(0)


def test_handles_are_used_again_and_never_destroyed():
    before = driver_calls()
    handles = []
    for _ in range(3):
        handles.append(cuda.Stream().handle)
    assert len(set(handles)) == 1
    assert cuda.Stream(priority=-1).handle != handles[0]
    made = driver_calls() - before
    assert (made["cuStreamCreateWithPriority"], made["cuStreamDestroy_v2"]) == (2, 0)


def test_an_external_stream_is_not_used_again():
    stream = cuda.Stream()
    del stream
    owner = cuda.Stream()
    cuda.ExternalStream(owner.handle)
    assert cuda.Stream().handle != owner.handle


@pytest.mark.parametrize(("handle", "shown"), [(-1, "-1"), (2, "2, CUDA's default stream"), ("0", "'0'")])
def test_bad_handles_are_named(handle, shown):
    with raises(ValueError, "ExternalStream", value=shown):
        cuda.ExternalStream(handle)


def test_a_stream_waits_for_an_event():
    """Check the order of two writes to one address, in the order that the event demands."""
    first, second, address = cuda.Stream(), cuda.Stream(), memory()
    queue(first, address, 1)
    event = first.record_event()
    second.wait_event(event)
    queue(second, address, 2)
    assert not event.query()
    second.synchronize()
    assert event.query() and first.query()
    assert read(address) == b"\2" * 64


def read(address, nbytes=64):
    target = ffi.new("char[]", nbytes)
    assert lib.driver.cuMemcpyDtoHAsync_v2(target, address, nbytes, 0) == 0
    cuda.synchronize()
    return bytes(ffi.buffer(target))


def test_a_stream_waits_for_a_stream():
    first, second, address = cuda.Stream(), cuda.Stream(), memory()
    queue(first, address, 1)
    second.wait_stream(first)
    queue(first, memory(), 1)
    second.synchronize()
    assert pending() == 1  # only the work before the wait


def test_streams_of_two_devices_wait_for_each_other():
    first, second = cuda.Stream(0), cuda.Stream(1)
    queue(first, memory(0))
    second.wait_stream(first)
    queue(second, memory(1))
    second.synchronize()
    assert first.query()


def test_an_event_that_is_not_recorded_is_complete():
    event = cuda.Event()
    cuda.current_stream()
    before = driver_calls()
    event.synchronize()
    event.wait()
    assert event.query()
    assert (event.device, event.cuda_event) == (None, 0)
    assert driver_calls() == before
    assert "uninitialized" in repr(event)


def test_an_event_is_recorded_on_the_current_stream():
    stream = cuda.Stream(1)
    queue(stream, memory(1))
    event = cuda.Event()
    with stream:
        event.record()
    assert event.device is Device("cuda:1") and event.cuda_event
    assert not event.query()
    event.synchronize()
    assert stream.query()


def test_an_event_makes_the_current_stream_wait():
    first, second = cuda.Stream(), cuda.Stream()
    queue(first, memory())
    event = first.record_event()
    with second:
        event.wait()
    second.synchronize()
    assert first.query()


def test_an_event_belongs_to_the_device_of_its_first_record():
    event = cuda.Stream(1).record_event()
    with raises(RuntimeError, "Event.record", "a stream of cuda:1", "another event", value="one of cuda:0"):
        event.record(cuda.Stream(0))
    event.record(cuda.Stream(1))


def test_time_between_events():
    first, last = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    stream = cuda.Stream()
    first.record(stream)
    queue(stream, memory())
    last.record(stream)
    with raises(RuntimeError, "Event.elapsed_time", "complete", "synchronize()", value="work that still runs"):
        first.elapsed_time(last)
    last.synchronize()
    assert first.elapsed_time(last) >= 0


def test_time_that_is_not_measured():
    timed, other = cuda.Event(enable_timing=True), cuda.Event()
    with raises(ValueError, "Event.elapsed_time", "the start", "record()", value="none"):
        timed.elapsed_time(timed)
    timed.record()
    other.record()
    timed.synchronize()
    with raises(ValueError, "Event.elapsed_time", "end_event", "enable_timing=True", value=False):
        timed.elapsed_time(other)
    with raises(TypeError, "Event.elapsed_time", "an Event", value=1):
        timed.elapsed_time(1)


def test_events_are_destroyed():
    before = driver_calls()
    cuda.Stream().record_event()
    cuda.Event()
    made = driver_calls() - before
    assert (made["cuEventCreate"], made["cuEventDestroy_v2"]) == (1, 1)


@pytest.mark.parametrize("name", ["record", "wait", "set_stream", "stream"])
def test_what_is_no_stream_is_named(name):
    function = getattr(cuda if "stream" in name else cuda.Event(), name)
    with pytest.raises(TypeError, match="a Stream; got 7"):
        with function(7) or cuda.stream(None):
            pass


def test_without_a_driver_there_are_no_events(monkeypatch):
    end_simulation()
    monkeypatch.setenv("FACULA_CUDA_DRIVER", "/missing/libcuda.so")
    with pytest.raises(RuntimeError, match=r"NVIDIA's driver, /missing/libcuda\.so; got none"):
        cuda.Event()


def test_arguments_are_checked():
    with raises(TypeError, "Stream", "priority", value="'high'"):
        cuda.Stream(priority="high")
    with raises(NotImplementedError, "Event", "interprocess=False", value=True):
        cuda.Event(interprocess=True)
    with raises(RuntimeError, "Stream", "device", value=5):
        cuda.Stream(5)


def test_errors_of_work_are_reported_by_waits():
    stream = cuda.Stream()
    event = stream.record_event()
    for name, function in (
        ("cuStreamSynchronize", stream.synchronize),
        ("cuStreamQuery", stream.query),
        ("cuEventSynchronize", event.synchronize),
        ("cuEventQuery", event.query),
    ):
        with failing(name, 719), raises(cuda.CudaError, function.__qualname__, "start the program again"):
            function()


def test_streams_and_events_of_a_closed_driver_are_refused():
    stream = cuda.Stream()
    event = stream.record_event()
    end_simulation()
    cuda.testing.simulate(devices=2, order="in_order", memory=64 << 20)
    with raises(
        RuntimeError, "Stream", "driver that is open", "Make a new one", value="one of a driver that was closed"
    ):
        stream.synchronize()
    with raises(RuntimeError, "Event", "driver that is open", "Record it again"):
        event.synchronize()
    event.record()
    assert driver.opened.simulated
    before = driver_calls()
    del stream
    assert cuda.Stream().query() and (driver_calls() - before)["cuStreamCreateWithPriority"] == 1


def uses():
    """Return what a forked child may do with objects of its parent, by name."""
    stream = cuda.Stream(1)
    event = stream.record_event()
    return {
        "stream": stream.synchronize,
        "event": event.synchronize,
        "block": stream.__enter__,
        "new stream": cuda.Stream,
        "device": lambda: cuda.set_device(0),
        "synchronize": cuda.synchronize,
        "allocate": lambda: cuda.pinned_allocator().allocate(512),
    }


@pytest.mark.parametrize("name", ["stream", "event", "block", "new stream", "device", "synchronize", "allocate"])
def test_a_forked_child_is_refused(name):
    use = uses()[name]
    said = in_child(use)
    assert '"spawn"' in said and "Error: " in said, said
    if name in ("stream", "event", "synchronize"):
        use()  # the parent goes on


def test_a_forked_child_that_leaves_cuda_alone_ends():
    """Check that it may drop the parent's objects, whose handles it must not use."""
    kept = [cuda.Stream(), cuda.Stream(1).record_event(), cuda.device_allocator().allocate(1 << 20)]

    def drop():
        kept.clear()
        return gc.collect() >= 0 and cuda.device_count()

    assert in_child(drop) == "0"
    cuda.synchronize()
