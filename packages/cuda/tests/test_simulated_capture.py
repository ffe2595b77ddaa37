"""Stream capture of simulated devices: the calls that it forbids, and how it ends."""

import threading

import pytest
from simulated_calls import (
    Code,
    StreamLog,
    allocate,
    begin_capture,
    call,
    capture_status,
    code_of,
    end_capture,
    end_capture_code,
    event,
    exchange_capture_mode,
    read,
    stream,
    use_device,
    write,
)

from facula_cuda._driver import ffi

GLOBAL, THREAD, RELAXED = 0, 1, 2
INVALID_VALUE, INVALID_HANDLE, ILLEGAL_STATE = 1, 400, 401
UNSUPPORTED, INVALIDATED, MERGE, UNMATCHED, UNJOINED = 900, 901, 902, 903, 904
ISOLATION, IMPLICIT, CAPTURED_EVENT, WRONG_THREAD = 905, 906, 907, 908


@pytest.fixture
def log(simulated, library):
    simulated()
    return StreamLog(library)


UNSAFE = {
    "cuMemAlloc_v2": lambda: code_of("cuMemAlloc_v2", ffi.new("uint64_t *"), 8),
    "cuMemHostAlloc": lambda: code_of("cuMemHostAlloc", ffi.new("void **"), 8, 0),
    "cuEventQuery": lambda: code_of("cuEventQuery", event()),
    "cuEventSynchronize": lambda: code_of("cuEventSynchronize", event()),
    "cuStreamQuery": lambda: code_of("cuStreamQuery", stream()),
    "cuStreamSynchronize": lambda: code_of("cuStreamSynchronize", stream()),
}


@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize(
    ("captured", "thread", "forbidden"),
    [(GLOBAL, GLOBAL, True), (THREAD, GLOBAL, True), (RELAXED, GLOBAL, False), (GLOBAL, THREAD, True),
     (GLOBAL, RELAXED, False), (THREAD, RELAXED, False)],
)  # fmt: skip
def test_unsafe_calls(simulated, name, captured, thread, forbidden):
    simulated()
    on = stream()
    begin_capture(on, captured)
    before = exchange_capture_mode(thread)
    try:
        assert UNSAFE[name]() == (UNSUPPORTED if forbidden else 0)
        assert capture_status(on) == (2 if forbidden else 1)
        assert end_capture_code(on) == (INVALIDATED if forbidden else 0)
        assert capture_status(on) == 0
    finally:
        assert (exchange_capture_mode(before), before) == (thread, GLOBAL)


@pytest.mark.parametrize(
    ("captured", "thread", "forbidden"),
    [(GLOBAL, GLOBAL, True), (THREAD, GLOBAL, False), (RELAXED, GLOBAL, False), (GLOBAL, THREAD, False)],
)
def test_unsafe_calls_of_another_thread(simulated, captured, thread, forbidden):
    context = simulated()
    on, codes = stream(), []
    begin_capture(on, captured)

    def work():
        call("cuCtxSetCurrent", context)
        exchange_capture_mode(thread)
        codes.append(UNSAFE["cuMemAlloc_v2"]())
        codes.append(end_capture_code(on))

    other = threading.Thread(target=work)
    other.start()
    other.join()
    allocated = UNSUPPORTED if forbidden else 0
    assert codes == [allocated, 0 if captured == RELAXED else WRONG_THREAD]
    if captured != RELAXED:
        assert end_capture_code(on) == INVALIDATED


ON_THE_STREAM = {
    "cuStreamSynchronize": lambda on: code_of("cuStreamSynchronize", on),
    "cuStreamQuery": lambda on: code_of("cuStreamQuery", on),
    "cuCtxSynchronize": lambda on: code_of("cuCtxSynchronize"),
}


@pytest.mark.parametrize("name", ON_THE_STREAM)
def test_waits_for_a_captured_stream(simulated, name):
    simulated()
    on = stream()
    begin_capture(on, RELAXED)
    assert ON_THE_STREAM[name](on) == UNSUPPORTED
    assert code_of("cuMemsetD8Async", allocate(8), 0, 8, on) == INVALIDATED
    assert code_of("cuEventRecord", event(), on) == INVALIDATED
    assert end_capture_code(on) == INVALIDATED


def test_pageable_memory_is_not_captured(simulated):
    simulated()
    on, address = stream(), allocate(8)
    for copy in (lambda: write(address, bytes(8), on), lambda: read(address, 8, on)):
        begin_capture(on)
        with pytest.raises(Code, match=f"^{UNSUPPORTED}$"):
            copy()
        assert end_capture_code(on) == INVALIDATED


USES_OF_THE_DEFAULT_STREAM = {
    "fill": lambda address: code_of("cuMemsetD8Async", address, 0, 8, 0),
    "record": lambda address: code_of("cuEventRecord", event(), 0),
    "wait": lambda address: code_of("cuStreamWaitEvent", 0, event(), 0),
    "synchronize": lambda address: code_of("cuStreamSynchronize", 0),
    "query": lambda address: code_of("cuStreamQuery", 0),
}


@pytest.mark.parametrize("use", USES_OF_THE_DEFAULT_STREAM)
@pytest.mark.parametrize("blocking", [True, False])
def test_the_default_stream_waits_for_blocking_streams(simulated, use, blocking):
    simulated()
    on, address = stream(0 if blocking else 1), allocate(8)
    begin_capture(on, RELAXED)
    assert code_of("cuStreamIsCapturing", 0, ffi.new("int *")) == (IMPLICIT if blocking else 0)
    assert capture_status(on) == 1
    assert USES_OF_THE_DEFAULT_STREAM[use](address) == (IMPLICIT if blocking else 0)
    assert end_capture_code(on) == (INVALIDATED if blocking else 0)


def test_captured_events(simulated):
    simulated()
    on, done = stream(), event(0)
    begin_capture(on)
    call("cuEventRecord", done, on)
    assert code_of("cuEventQuery", done) == code_of("cuEventSynchronize", done) == CAPTURED_EVENT
    end_capture(on)
    assert code_of("cuEventQuery", done) == CAPTURED_EVENT
    assert code_of("cuStreamWaitEvent", on, done, 0) == CAPTURED_EVENT
    assert code_of("cuEventElapsedTime", ffi.new("float *"), done, done) == CAPTURED_EVENT
    call("cuEventRecord", done, on)
    call("cuEventSynchronize", done)
    assert code_of("cuEventQuery", done) == 0


def test_waiting_for_work_outside_the_capture(simulated):
    simulated()
    a, b, done = stream(), stream(), event()
    begin_capture(a)
    call("cuStreamWaitEvent", a, done, 0)  # never recorded
    call("cuEventRecord", done, b)
    assert code_of("cuStreamWaitEvent", a, done, 0) == ISOLATION
    assert end_capture_code(a) == INVALIDATED


def test_captures_do_not_merge(simulated):
    simulated()
    a, b, done = stream(), stream(), event()
    begin_capture(a)
    begin_capture(b)
    call("cuEventRecord", done, a)
    assert code_of("cuStreamWaitEvent", b, done, 0) == MERGE
    assert end_capture_code(a) == end_capture_code(b) == INVALIDATED


def test_the_default_stream_is_not_captured(simulated):
    simulated()
    a, done = stream(), event()
    assert code_of("cuStreamBeginCapture_v2", 0, GLOBAL) == UNSUPPORTED
    begin_capture(a)
    call("cuEventRecord", done, a)
    assert code_of("cuStreamWaitEvent", 0, done, 0) == IMPLICIT
    assert end_capture_code(a) == INVALIDATED


def test_streams_that_do_not_rejoin(log):
    a, b, done = stream(), stream(), event()
    for work in (False, True):
        begin_capture(a)
        log(1, a)
        call("cuEventRecord", done, a)
        call("cuStreamWaitEvent", b, done, 0)
        if work:
            log(2, b)
        log(3, a)
        assert end_capture_code(a) == (UNJOINED if work else 0)
        assert capture_status(b) == 0
    log(4, b)
    assert log.entries() == [4]


def test_captures_end_where_they_began(simulated):
    simulated()
    a, b, done = stream(), stream(), event()
    assert end_capture_code(a) == ILLEGAL_STATE
    begin_capture(a)
    assert code_of("cuStreamBeginCapture_v2", a, GLOBAL) == ILLEGAL_STATE
    call("cuEventRecord", done, a)
    call("cuStreamWaitEvent", b, done, 0)
    assert end_capture_code(b) == UNMATCHED
    assert end_capture_code(a) == INVALIDATED


@pytest.mark.parametrize("origin", [True, False])
def test_a_captured_stream_is_destroyed(simulated, origin):
    simulated()
    a, b, done = stream(), stream(), event()
    begin_capture(a)
    call("cuEventRecord", done, a)
    call("cuStreamWaitEvent", b, done, 0)
    call("cuStreamDestroy_v2", a if origin else b)
    if origin:
        assert capture_status(b) == 0
    else:
        assert end_capture_code(a) == INVALIDATED
    call("cuCtxSynchronize")


def test_destroyed_objects(simulated):
    simulated()
    result = ffi.new("int64_t *")
    assert code_of("cuGraphInstantiateWithFlags", result, 16, 0) == INVALID_VALUE
    assert code_of("cuGraphLaunch", 16, 0) == code_of("cuGraphExecDestroy", 16) == INVALID_VALUE
    assert code_of("cuGraphDestroy", 16) == code_of("cuStreamBeginCapture_v2", 0, 3) == INVALID_VALUE
    on = stream()
    begin_capture(on)
    call("cuDevicePrimaryCtxRelease_v2", 0)
    use_device()
    call("cuCtxSynchronize")
    assert code_of("cuStreamIsCapturing", on, ffi.new("int *")) == INVALID_HANDLE
