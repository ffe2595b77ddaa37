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


def kernel_node(function, *values, blocks=1):
    """Return the parameters of a node, and what they point to."""
    block = words(*values)
    kept = [ffi.new("size_t *", len(block)), ffi.from_buffer(block)]
    extra = ffi.new("void *[]", [ffi.cast("void *", 1), kept[1], ffi.cast("void *", 2), kept[0], ffi.NULL])
    node = ffi.new("struct kernel_node *", {"function": function, "extra": extra})
    node.grid_x, node.grid_y, node.grid_z = blocks, 1, 1
    node.block_x = node.block_y = node.block_z = 1
    return node, [*kept, block, extra]


def built_graph(log, values):
    """Build a graph that appends values to a log, one after another; return it, and its nodes."""
    graph, nodes = ffi.new("int64_t *"), []
    call("cuGraphCreate", graph, 0)
    for value in values:
        node = ffi.new("int64_t *")
        before = ffi.new("int64_t[]", nodes[-1:])
        parameters, _kept = kernel_node(log.append, log.address, value)
        call("cuGraphAddKernelNode_v2", node, graph[0], before, len(before), parameters)
        nodes.append(node[0])
    return graph[0], nodes


def test_graphs_are_built_of_kernels(log):
    graph, nodes = built_graph(log, [1, 2, 3])
    executable = ffi.new("int64_t *")
    call("cuGraphInstantiateWithFlags", executable, graph, 0)
    assert log.orders(lambda: call("cuGraphLaunch", executable[0], stream()), 10) == {(1, 2, 3)}
    wrong, _kept = kernel_node(log.append, blocks=0)
    node = ffi.new("int64_t *")
    assert code_of("cuGraphAddKernelNode_v2", node, graph, ffi.NULL, 0, wrong) == INVALID_VALUE
    assert code_of("cuGraphAddKernelNode_v2", node, 5, ffi.NULL, 0, wrong) == INVALID_VALUE
    assert code_of("cuGraphCreate", node, 1) == INVALID_VALUE
    call("cuGraphDestroy", graph)
    parameters, _kept = kernel_node(log.append, log.address, 5)
    assert code_of("cuGraphExecKernelNodeSetParams_v2", executable[0], nodes[0], parameters) == INVALID_VALUE


def test_changed_nodes_belong_to_later_launches_of_one_executable_graph(log):
    graph, nodes = built_graph(log, [1, 2])
    first, second = ffi.new("int64_t *"), ffi.new("int64_t *")
    for made in (first, second):
        call("cuGraphInstantiateWithFlags", made, graph, 0)
    on = stream()
    call("cuGraphLaunch", first[0], on)
    for value in (7, 8):
        parameters, _kept = kernel_node(log.append, log.address, value)
        call("cuGraphExecKernelNodeSetParams_v2", first[0], nodes[1], parameters)
        call("cuGraphLaunch", first[0], on)
    call("cuGraphLaunch", second[0], on)
    assert log.entries() == [1, 2, 1, 7, 1, 8, 1, 2]
