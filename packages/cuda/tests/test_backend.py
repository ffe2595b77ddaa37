"""The backend on simulated devices, without tensors: plans, copies, waits, streams and errors."""

import ctypes
import os

import numpy as np
import pytest
from backend_helpers import get, launch, put

import facula_cuda
from facula_allocator import Block
from facula_cuda import fallbacks, waits
from facula_cuda._backend.backend import create_backend
from facula_cuda._compile.modules import functions
from facula_cuda._driver import ffi, lib
from facula_cuda._port.devices import set_index
from facula_cuda._port.events import Event
from facula_cuda._port.streams import Stream, stream
from facula_cuda.testing import failing, pending
from facula_errors.testing import raises
from facula_storage import Device, Plan, Storage, bind, contiguous, float32, int64
from facula_storage.extend.memory import allocate, borrow
from facula_storage.extend.recording import Place

ILLEGAL_ADDRESS, INVALID_VALUE = 700, 1


@pytest.fixture(autouse=True)
def no_kernels(monkeypatch):
    """Let all operators fall back to the CPU."""
    monkeypatch.setattr("facula_cuda._backend.backend.planners", {})
    monkeypatch.setattr("facula_cuda._backend.backend.general_planners", [])


# ------------------------------------------------------------------------------------------------------------- plans
def test_planners_precede_the_fallback(backend, monkeypatch):
    asked = []

    def planner(operator, inputs, outputs, parameters):
        asked.append(operator)
        if operator == "tan":
            return Plan("tan", parameters, outputs, lambda n, *args: asked.append((n, args)), any_size=True)

    monkeypatch.setattr("facula_cuda._backend.backend.planners", {"tan": lambda *given: asked.append("own")})
    monkeypatch.setattr("facula_cuda._backend.backend.general_planners", [planner])
    a, la = put(np.ones(3, "f4"))
    before = waits(), fallbacks()
    launch("tan", [(a.ptr, la)], (a.ptr, la))
    assert asked == ["own", "tan", (3, (a.ptr, a.ptr))] and (waits(), fallbacks()) == before
    monkeypatch.setenv("FACULA_CUDA_BLOCKING", "1")
    launch("tan", [(a.ptr, la)], (a.ptr, la))
    assert waits() == before[0] + 1


# -------------------------------------------------------------------------------------------------- copies and waits
def test_waits_are_counted(backend):
    def waited(function):
        before = waits()
        function()
        return waits() - before

    a, la = put(np.arange(4, dtype="f4"))
    assert waited(lambda: backend.copy_in(a.ptr, np.zeros(4, "f4"))) == 0
    assert waited(lambda: get(a, la)) == 1
    assert waited(lambda: backend.read(a.ptr, float32)) == 1
    assert waited(backend.synchronize) == 1
    assert waited(lambda: launch("neg", [(a.ptr, la)], (a.ptr, la))) == 1
    assert waited(lambda: backend.copy_in(a.ptr, b"")) == waited(lambda: backend.copy_out(a.ptr, bytearray())) == 0


def test_a_source_may_change_after_copy_in(backend):
    a, la = put(np.zeros(4, "f4"))
    for source in (np.arange(4, dtype="f4"), pinned(backend, [0, 1, 2, 3])[1]):
        backend.copy_in(a.ptr, source)
        source[:] = -1
        assert get(a, la).tolist() == [0, 1, 2, 3]


def test_elements_are_read(backend):
    a, _ = put(np.array([1.5, -2.0], "f4"))
    b, _ = put(np.array([1 << 40], "i8"))
    assert (backend.read(a.ptr + 4, float32), backend.read(b.ptr, int64)) == (-2.0, 1 << 40)
    assert type(backend.read(b.ptr, int64)) is int


def allocate_pinned(backend, nbytes):
    """Return a storage of pinned memory."""
    storage = Storage()
    storage.ptr, storage.__del__ = backend.pinned.refill(nbytes)
    storage.version = 0
    return storage


def pinned(backend, values):
    """Return a storage of pinned memory with these float32 numbers, and the array over it."""
    storage = allocate_pinned(backend, 4 * len(values))
    array = np.frombuffer((ctypes.c_char * (4 * len(values))).from_address(storage.ptr), "f4")
    array[:] = values
    return storage, array


def test_copies_between_host_and_device(backend):
    layout, there = contiguous((3,), float32), contiguous((3,), float32, Device("cuda:0"))
    host, array = pinned(backend, [1, 2, 3])
    device = allocate(there)
    before = waits()
    backend.copy_across(Place(host, 0, layout, False), Place(device, 0, there, True), True)
    assert waits() == before and pending() == 1
    back, got = pinned(backend, [0, 0, 0])
    backend.copy_across(Place(device, 0, there, False), Place(back, 0, layout, True), True)
    assert waits() == before and pending() == 2
    backend.synchronize()
    assert got.tolist() == [1, 2, 3]
    for non_blocking in (False, True):  # pageable memory waits for copies to the host alone
        plain = np.array([4, 5, 6], "f4")
        owner = borrow(plain.ctypes.data, 12, plain)
        before = waits()
        backend.copy_across(Place(owner, 0, layout, False), Place(device, 0, there, True), non_blocking)
        assert waits() == before
        plain[:] = 0
        backend.copy_across(Place(device, 0, there, False), Place(owner, 0, layout, True), non_blocking)
        assert waits() == before + 1 and plain.tolist() == [4, 5, 6]
    backend.copy_across(Place(host, 0, layout, False), Place(device, 0, there, True), False)
    array[:] = 0
    assert get(device, there).tolist() == [1, 2, 3]


def test_pinned_memory_is_not_reused_while_a_copy_reads_it(backend):
    layout, there = contiguous((3,), float32), contiguous((3,), float32, Device("cuda:0"))
    host, _ = pinned(backend, [1, 2, 3])
    device, address = allocate(there), host.ptr
    backend.copy_across(Place(host, 0, layout, False), Place(device, 0, there, True), True)
    del host, _
    assert allocate_pinned(backend, 12).ptr != address
    backend.synchronize()
    assert get(device, there).tolist() == [1, 2, 3]


def test_copies_between_devices(backend):
    """On side streams of both devices: neither side reads or writes before the other is ready."""
    first, second = Stream(0), Stream(1)
    with stream(first), stream(second):
        for round in range(5):
            a, la = put(np.arange(1000, dtype="f4") + round, "cuda:0")
            b, lb = put(np.zeros(1000, "f4"), "cuda:1")
            lb.device.backend.copy_across(Place(a, 0, la, False), Place(b, 0, lb, True), True)
            backend.copy_in(a.ptr, np.full(1000, -1, "f4"))  # after the copy
            assert get(b, lb).tolist() == (np.arange(1000) + round).tolist()


# ----------------------------------------------------------------------------------------------- devices and streams
def test_the_current_device(backend):
    anywhere = Device("cuda")
    assert anywhere.index is None and anywhere.backend is backend is Device("cuda:0").backend
    set_index(1)
    try:
        assert anywhere.resolved is Device("cuda:1") and anywhere.backend is create_backend(1) is not backend
        assert contiguous((2,), float32, anywhere).device is Device("cuda:1")
    finally:
        set_index(0)
    with raises(RuntimeError, "cuda", "0 <= device < 2", value="7"):
        Device("cuda:7").backend


def test_memory_belongs_to_the_current_stream(backend):
    side = Stream(0)
    layout = contiguous((100,), float32, Device("cuda:0"))
    with stream(side):
        storage = allocate(layout)
        assert isinstance(storage.__del__, Block) and storage.__del__.stream == side.handle
        address = storage.ptr
        del storage
        assert allocate(layout).ptr == address
    assert allocate(layout).__del__.stream == 0


def test_work_runs_on_the_current_stream(backend):
    side = Stream(0)
    a, la = put(np.arange(4, dtype="f4"))
    ready = Event()
    ready.record()
    with stream(side):
        ready.wait()
        launch("neg", [(a.ptr, la)], (a.ptr, la))
        assert pending() == 1
        assert get(a, la).tolist() == [0, -1, -2, -3]
        a.__del__.record_use(side.handle)


def test_streams_of_other_libraries_are_ordered(backend):
    assert backend.in_order and backend.stream_number() == 1 and backend.dlpack_device == (2, 0)
    side = Stream(0)
    values = np.arange(4, dtype="f4")
    a, la = put(np.zeros_like(values))
    backend.order_streams(1, side.handle)
    with stream(side):
        assert not backend.in_order and backend.stream_number() == side.handle
        backend.copy_in(a.ptr, values)
    start = waits()
    backend.order_streams(side.handle, 1)
    assert waits() == start and pending() == 2
    assert get(a, la).tolist() == [0, 1, 2, 3]


def active(backend):
    """Return the bytes in blocks that are in use, or that queued work uses."""
    return backend.allocator.allocator.memory_stats()["active_bytes.all.current"]


def test_memory_used_on_another_stream_is_released_later(backend):
    side = Stream(0)
    layout = contiguous((100,), float32, Device("cuda:0"))
    other = allocate(layout)
    address = other.ptr
    with stream(side):
        backend.copy_in(other.ptr, np.ones(100, "f4"))
    backend.record_use(other, side)
    del other
    assert allocate(layout).ptr != address
    assert active(backend) == 512
    backend.allocator.trim()  # waits
    assert active(backend) == 0
    with raises(TypeError, "record_stream", "stream of 'cuda:0'", value="'side'"):
        backend.record_use(allocate(layout), "side")
    array = np.zeros(3, "f4")
    with raises(RuntimeError, "record_stream", "facula's allocator", value="ndarray"):
        backend.record_use(borrow(array.ctypes.data, 12, array), side)


# ------------------------------------------------------------------------------------------------------------ errors
def test_a_lost_device_names_the_last_kernels(backend):
    source = "#include <stdint.h>\nstruct args { int64_t n; };\nKERNEL(first, args) {}\nKERNEL(second, args) {}"
    kernel = int(ffi.cast("intptr_t", ffi.addressof(lib, "facula_cuda_fixed")))
    for function in functions(source, ("first", "second"), 0):
        struct = ffi.new("struct facula_cuda_fixed *")
        struct.words, struct.steps = 1, 1
        struct.step[0].function, struct.step[0].blocks, struct.step[0].threads = function, 1, 1
        bind(kernel, int(ffi.cast("intptr_t", struct)), 1 << 62, 0, struct)(1)
    with (
        failing("cuCtxSynchronize", ILLEGAL_ADDRESS),
        raises(
            facula_cuda.CudaError,
            "synchronize",
            "The last kernels, newest first",
            "FACULA_CUDA_BLOCKING=1",
            value="second",
        ),
    ):
        backend.synchronize()


def test_a_lost_device_names_the_last_launches(backend):
    a, la = put(np.arange(4, dtype="f4"))
    launch("neg", [(a.ptr, la)], (a.ptr, la))
    launch("exp", [(a.ptr, la)], (a.ptr, la))
    with (
        failing("cuStreamSynchronize", ILLEGAL_ADDRESS),
        raises(
            facula_cuda.CudaError,
            "copy_out",
            "'cuda:0' is lost",
            "exp (",
            "neg (",
            "FACULA_CUDA_BLOCKING=1",
            value="700",
        ) as caught,
    ):
        get(a, la)
    assert "backend_helpers.py:" in str(caught.value) and caught.value.code == ILLEGAL_ADDRESS
    for use in (lambda: get(a, la), backend.synchronize, lambda: launch("neg", [(a.ptr, la)], (a.ptr, la))):
        with pytest.raises(facula_cuda.CudaError) as again:
            use()
        assert str(again.value) == str(caught.value)
    assert lib.facula_cuda_lost(0) == ILLEGAL_ADDRESS  # launches from C are refused, too


def test_other_failures_do_not_lose_the_device(backend):
    a, la = put(np.arange(4, dtype="f4"))
    with failing("cuMemcpyDtoHAsync_v2", INVALID_VALUE), raises(facula_cuda.CudaError, "copy_out", value="1)"):
        get(a, la)
    assert get(a, la).tolist() == [0, 1, 2, 3]


def test_the_message_of_a_launch_that_the_driver_refused(backend):
    assert "CUDA_ERROR_INVALID_VALUE" in backend.status_message(9, INVALID_VALUE, 0, 0, 0)
    assert "is lost" in backend.status_message(9, ILLEGAL_ADDRESS, 0, 0, 0)


def test_memory_that_is_not_there(backend):
    with raises(MemoryError, "out of memory", "device memory"):
        allocate(contiguous((1 << 40,), float32, Device("cuda:0")))


def test_a_forked_child_is_refused_by_name(backend):
    a, la = put(np.arange(4, dtype="f4"))
    plan = backend.plan("neg", (la,), (la,), ())
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        said = []
        for use in (lambda: plan.launch(4, a.ptr, a.ptr), lambda: Device("cuda").backend, backend.synchronize):
            try:
                use()
            except BaseException as error:
                said.append(str(error))
        os.write(writer, "\n".join(said).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read().splitlines()
    os.waitpid(child, 0)
    assert len(said) == 3 and all('"spawn"' in line for line in said), said
    assert get(a, la).tolist() == [0, 1, 2, 3]
