"""Graphs of simulated devices: what is captured, and how graphs run."""

import pytest
from simulated_calls import (
    StreamLog,
    allocate,
    begin_capture,
    call,
    capture_status,
    code_of,
    end_capture,
    event,
    functions,
    launch,
    load,
    numbers,
    pinned,
    queue_read,
    read,
    stream,
    words,
)

from facula_cuda._driver import ffi
from facula_cuda.testing import counting, pending, simulate

RELAXED = 2
INVALID_VALUE = 1


@pytest.fixture
def log(simulated, library):
    simulated()
    return StreamLog(library)


def test_captured_work_runs_at_each_launch(log):
    on, (buffer, host) = stream(), pinned(8)
    address = allocate(16)
    begin_capture(on)
    assert capture_status(on) == 1
    call("cuMemsetD8Async", address, 0, 16, on)
    call("cuMemcpyHtoDAsync_v2", address, ffi.cast("void *", host), 8, on)
    call("cuMemcpyDtoDAsync_v2", address + 8, address, 8, on)
    log(1, on)
    queue_read(address + 8, host, 8, on)
    assert pending() == 0
    executable = end_capture(on)
    assert capture_status(on) == 0 and log.entries() == []
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
    begin_capture(a)
    log(1, a)
    call("cuEventRecord", fork, a)
    call("cuStreamWaitEvent", b, fork, 0)
    log(2, a)
    log(3, b)
    call("cuEventRecord", join, b)
    assert capture_status(b) == 1
    call("cuStreamWaitEvent", a, join, 0)
    log(4, a)
    return end_capture(a)


def test_events_in_a_capture_join_streams(log):
    a, b = stream(), stream()
    executable = forked(log, a, b)
    assert capture_status(b) == 0

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


def test_a_launch_waits_for_the_graphs_previous_launch(log):
    a, b, done = stream(), stream(), event()
    executable = forked(log, a, b)
    for seed in range(20):
        simulate(seed=seed)
        call("cuGraphLaunch", executable, a)
        call("cuEventRecord", done, a)
        log(5, a)
        call("cuGraphLaunch", executable, b)
        call("cuStreamSynchronize", b)
        assert len(log.so_far()) >= 8
        log.clear()


def test_a_graph_in_a_graph(log):
    a, b = stream(), stream()
    inner = forked(log, a, b)
    begin_capture(a)
    log(7, a)
    call("cuGraphLaunch", inner, a)
    log(8, a)
    outer = end_capture(a)
    call("cuGraphExecDestroy", inner)
    call("cuGraphLaunch", outer, b)
    entries = log.entries()
    assert entries[0] == 7 and entries[-1] == 8 and sorted(entries[1:-1]) == [1, 2, 3, 4]


def test_a_graph_keeps_its_kernels(simulated, library):
    simulated()
    module = load(library)
    (set_,) = functions(module, "set")
    on, address = stream(), allocate(8)
    begin_capture(on, RELAXED)
    assert launch(set_, words(address, 5), on) == 0
    executable = end_capture(on)
    call("cuModuleUnload", module)
    call("cuGraphLaunch", executable, on)
    assert numbers(read(address, 8, on)) == [5]


def test_launches_of_graphs_that_only_count(log):
    on = stream()
    begin_capture(on)
    log(1, on)
    executable = end_capture(on)
    with counting() as calls:
        call("cuGraphLaunch", executable, on)
    assert calls == {"cuGraphLaunch": 1} and log.entries() == []


def test_an_illegal_address_in_a_graph(log):
    on, address = stream(), allocate(1 << 20)
    begin_capture(on)
    call("cuMemsetD8Async", address, 0, 16, on)
    executable = end_capture(on)
    call("cuMemFree_v2", address)
    call("cuGraphLaunch", executable, on)
    assert code_of("cuStreamSynchronize", on) == 700
