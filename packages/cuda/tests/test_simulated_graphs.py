"""Stream capture and graphs of simulated devices: what is captured, what capture forbids, and how graphs run."""

import itertools
import threading

import pytest
from simulated_calls import (
    Code,
    StreamLog,
    allocate,
    call,
    code_of,
    event,
    functions,
    get,
    launch,
    load,
    numbers,
    pinned,
    queue_read,
    read,
    stream,
    use_device,
    words,
    write,
)

from facula_cuda._driver import ffi
from facula_cuda.testing import counting, pending

GLOBAL, THREAD, RELAXED = range(3)
INVALID_VALUE, INVALID_HANDLE, ILLEGAL_STATE = 1, 400, 401
UNSUPPORTED, INVALIDATED, MERGE, UNMATCHED, UNJOINED, ISOLATION, IMPLICIT, CAPTURED_EVENT, WRONG_THREAD = range(
    900, 909
)


def begin(on, mode=GLOBAL):
    call("cuStreamBeginCapture_v2", on, mode)


def end(on):
    """End a capture, and return the executable graph."""
    graph = ffi.new("int64_t *")
    call("cuStreamEndCapture", on, graph)
    executable = get("int64_t", "cuGraphInstantiateWithFlags", graph[0], 0)
    call("cuGraphDestroy", graph[0])
    return executable


def status(on):
    result = ffi.new("int *")
    call("cuStreamIsCapturing", on, result)
    return result[0]


def end_code(on):
    return code_of("cuStreamEndCapture", on, ffi.new("int64_t *"))


def exchange(mode):
    value = ffi.new("int *", mode)
    call("cuThreadExchangeStreamCaptureMode", value)
    return value[0]


@pytest.fixture
def log(simulated, library):
    simulated()
    return StreamLog(library)


def test_captured_work_runs_at_each_launch(log):
    on, (buffer, host) = stream(), pinned(8)
    address = allocate(16)
    begin(on)
    assert status(on) == 1
    call("cuMemsetD8Async", address, 0, 16, on)
    call("cuMemcpyHtoDAsync_v2", address, ffi.cast("void *", host), 8, on)
    call("cuMemcpyDtoDAsync_v2", address + 8, address, 8, on)
    log(1, on)
    queue_read(address + 8, host, 8, on)
    assert pending() == 0
    executable = end(on)
    assert status(on) == 0 and log.entries() == []
    for contents in (b"contents", b"replayed"):
        buffer[:] = contents
        call("cuGraphLaunch", executable, on)
        assert pending() == 5
        call("cuStreamSynchronize", on)
        assert read(address, 16) == contents * 2
    assert log.entries() == [1, 1]
    call("cuGraphLaunch", executable, on)
    call("cuGraphExecDestroy", executable)  # does not wait
    assert code_of("cuGraphLaunch", executable, on) == INVALID_VALUE
    assert log.entries() == [1, 1, 1]


def forked(log, a, b):
    """Capture 1, then 2 on one stream and 3 on another, then 4."""
    fork, join = event(), event()
    begin(a)
    log(1, a)
    call("cuEventRecord", fork, a)
    call("cuStreamWaitEvent", b, fork, 0)
    log(2, a)
    log(3, b)
    call("cuEventRecord", join, b)
    assert status(b) == 1
    call("cuStreamWaitEvent", a, join, 0)
    log(4, a)
    return end(a)


def test_events_in_a_capture_join_streams(log):
    a, b = stream(), stream()
    executable = forked(log, a, b)
    assert status(b) == 0

    def queue():
        call("cuGraphLaunch", executable, a)

    assert log.orders(queue) == {(1, 2, 3, 4), (1, 3, 2, 4)}


def test_launches_of_one_graph_run_one_after_another(log):
    a, b, c = stream(), stream(), stream()
    executable = forked(log, a, b)

    def queue():
        call("cuGraphLaunch", executable, a)
        call("cuGraphLaunch", executable, b)
        log(5, c)

    found = log.orders(queue)
    assert {tuple(value for value in order if value != 5)[:4] for order in found} <= {(1, 2, 3, 4), (1, 3, 2, 4)}
    assert {order.index(5) for order in found} >= {0, 4, 8}


def test_a_graph_in_a_graph(log):
    a, b = stream(), stream()
    inner = forked(log, a, b)
    begin(a)
    log(7, a)
    call("cuGraphLaunch", inner, a)
    log(8, a)
    outer = end(a)
    call("cuGraphExecDestroy", inner)
    call("cuGraphLaunch", outer, b)
    entries = log.entries()
    assert entries[0] == 7 and entries[-1] == 8 and sorted(entries[1:-1]) == [1, 2, 3, 4]


def test_a_graph_keeps_its_kernels(simulated, library):
    simulated()
    module = load(library)
    (set_,) = functions(module, "set")
    on, address = stream(), allocate(8)
    begin(on, RELAXED)
    assert launch(set_, words(address, 5), on) == 0
    executable = end(on)
    call("cuModuleUnload", module)
    call("cuGraphLaunch", executable, on)
    assert numbers(read(address, 8, on)) == [5]


def test_launches_of_graphs_that_only_count(log):
    on = stream()
    begin(on)
    log(1, on)
    executable = end(on)
    with counting() as calls:
        call("cuGraphLaunch", executable, on)
    assert calls == {"cuGraphLaunch": 1} and log.entries() == []


def test_an_illegal_address_in_a_graph(log):
    on, address = stream(), allocate(1 << 20)
    begin(on)
    call("cuMemsetD8Async", address, 0, 16, on)
    executable = end(on)
    call("cuMemFree_v2", address)
    call("cuGraphLaunch", executable, on)
    assert code_of("cuStreamSynchronize", on) == 700


# ---------------------------------------------------------------------------------------------- what a capture forbids
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
    begin(on, captured)
    before = exchange(thread)
    try:
        assert UNSAFE[name]() == (UNSUPPORTED if forbidden else 0)
        assert status(on) == (2 if forbidden else 1)
        assert end_code(on) == (INVALIDATED if forbidden else 0)
        assert status(on) == 0
    finally:
        assert (exchange(before), before) == (thread, GLOBAL)


@pytest.mark.parametrize(
    ("captured", "thread", "forbidden"),
    [(GLOBAL, GLOBAL, True), (THREAD, GLOBAL, False), (RELAXED, GLOBAL, False), (GLOBAL, THREAD, False)],
)
def test_unsafe_calls_of_another_thread(simulated, captured, thread, forbidden):
    context = simulated()
    on, codes = stream(), []
    begin(on, captured)

    def work():
        call("cuCtxSetCurrent", context)
        exchange(thread)
        codes.append(UNSAFE["cuMemAlloc_v2"]())
        codes.append(end_code(on))

    other = threading.Thread(target=work)
    other.start()
    other.join()
    allocated = UNSUPPORTED if forbidden else 0
    assert codes == [allocated, 0 if captured == RELAXED else WRONG_THREAD]
    if captured != RELAXED:
        assert end_code(on) == INVALIDATED


ON_THE_STREAM = {
    "cuStreamSynchronize": lambda on: code_of("cuStreamSynchronize", on),
    "cuStreamQuery": lambda on: code_of("cuStreamQuery", on),
    "cuCtxSynchronize": lambda on: code_of("cuCtxSynchronize"),
}


@pytest.mark.parametrize("name", ON_THE_STREAM)
def test_waits_for_a_captured_stream(simulated, name):
    simulated()
    on = stream()
    begin(on, RELAXED)
    assert ON_THE_STREAM[name](on) == UNSUPPORTED
    assert code_of("cuMemsetD8Async", allocate(8), 0, 8, on) == INVALIDATED
    assert code_of("cuEventRecord", event(), on) == INVALIDATED
    assert end_code(on) == INVALIDATED


def test_pageable_memory_is_not_captured(simulated):
    simulated()
    on, address = stream(), allocate(8)
    for copy in (lambda: write(address, bytes(8), on), lambda: read(address, 8, on)):
        begin(on)
        with pytest.raises(Code, match=f"^{UNSUPPORTED}$"):
            copy()
        assert end_code(on) == INVALIDATED


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
    begin(on, RELAXED)
    assert code_of("cuStreamIsCapturing", 0, ffi.new("int *")) == (IMPLICIT if blocking else 0)
    assert status(on) == 1
    assert USES_OF_THE_DEFAULT_STREAM[use](address) == (IMPLICIT if blocking else 0)
    assert end_code(on) == (INVALIDATED if blocking else 0)


def test_captured_events(simulated):
    simulated()
    on, done = stream(), event(0)
    begin(on)
    call("cuEventRecord", done, on)
    assert code_of("cuEventQuery", done) == code_of("cuEventSynchronize", done) == CAPTURED_EVENT
    end(on)
    assert code_of("cuEventQuery", done) == CAPTURED_EVENT
    assert code_of("cuStreamWaitEvent", on, done, 0) == CAPTURED_EVENT
    assert code_of("cuEventElapsedTime", ffi.new("float *"), done, done) == CAPTURED_EVENT
    call("cuEventRecord", done, on)
    call("cuEventSynchronize", done)
    assert code_of("cuEventQuery", done) == 0


def test_waiting_for_work_outside_the_capture(simulated):
    simulated()
    a, b, done = stream(), stream(), event()
    begin(a)
    call("cuStreamWaitEvent", a, done, 0)  # never recorded
    call("cuEventRecord", done, b)
    assert code_of("cuStreamWaitEvent", a, done, 0) == ISOLATION
    assert end_code(a) == INVALIDATED


def test_captures_do_not_merge(simulated):
    simulated()
    a, b, done = stream(), stream(), event()
    begin(a)
    begin(b)
    call("cuEventRecord", done, a)
    assert code_of("cuStreamWaitEvent", b, done, 0) == MERGE
    assert end_code(a) == end_code(b) == INVALIDATED


def test_the_default_stream_is_not_captured(simulated):
    simulated()
    a, done = stream(), event()
    assert code_of("cuStreamBeginCapture_v2", 0, GLOBAL) == UNSUPPORTED
    begin(a)
    call("cuEventRecord", done, a)
    assert code_of("cuStreamWaitEvent", 0, done, 0) == IMPLICIT
    assert end_code(a) == INVALIDATED


def test_streams_that_do_not_rejoin(log):
    a, b, done = stream(), stream(), event()
    for work in (False, True):
        begin(a)
        log(1, a)
        call("cuEventRecord", done, a)
        call("cuStreamWaitEvent", b, done, 0)
        if work:
            log(2, b)
        log(3, a)
        assert end_code(a) == (UNJOINED if work else 0)
        assert status(b) == 0
    log(4, b)
    assert log.entries() == [4]


def test_captures_end_where_they_began(simulated):
    simulated()
    a, b, done = stream(), stream(), event()
    assert end_code(a) == ILLEGAL_STATE
    begin(a)
    assert code_of("cuStreamBeginCapture_v2", a, GLOBAL) == ILLEGAL_STATE
    call("cuEventRecord", done, a)
    call("cuStreamWaitEvent", b, done, 0)
    assert end_code(b) == UNMATCHED
    assert end_code(a) == INVALIDATED


@pytest.mark.parametrize("origin", [True, False])
def test_a_captured_stream_is_destroyed(simulated, origin):
    simulated()
    a, b, done = stream(), stream(), event()
    begin(a)
    call("cuEventRecord", done, a)
    call("cuStreamWaitEvent", b, done, 0)
    call("cuStreamDestroy_v2", a if origin else b)
    if origin:
        assert status(b) == 0
    else:
        assert end_code(a) == INVALIDATED
    call("cuCtxSynchronize")


def test_destroyed_objects(simulated):
    simulated()
    result = ffi.new("int64_t *")
    assert code_of("cuGraphInstantiateWithFlags", result, 16, 0) == INVALID_VALUE
    assert code_of("cuGraphLaunch", 16, 0) == code_of("cuGraphExecDestroy", 16) == INVALID_VALUE
    assert code_of("cuGraphDestroy", 16) == code_of("cuStreamBeginCapture_v2", 0, 3) == INVALID_VALUE
    on = stream()
    begin(on)
    call("cuDevicePrimaryCtxRelease_v2", 0)
    use_device()
    call("cuCtxSynchronize")
    assert code_of("cuStreamIsCapturing", on, ffi.new("int *")) == INVALID_HANDLE


def test_orders_of_four_independent_streams(log):
    streams = [stream() for _ in range(3)]

    def queue():
        for value, on in enumerate(streams):
            log(value, on)

    assert log.orders(queue) == set(itertools.permutations(range(3)))
