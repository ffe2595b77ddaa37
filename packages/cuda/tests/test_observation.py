"""Times of the devices' work and of waits, as profilers receive them."""

import threading
import time

import numpy as np
import pytest
from backend_helpers import get, launch, put

import facula_cuda
from facula_cuda._port.driver import opened
from facula_cuda.extend import WORK, end_observation, observe_devices, take_work
from facula_cuda.testing import driver_calls, failing

KERNEL, COPY, WAIT = 7, 11, 14


@pytest.fixture
def observed(backend):
    """Observe simulated devices."""
    observe_devices()
    yield backend
    end_observation()


def add(a, b, out):
    launch("add", [(one.ptr, layout) for one, layout in (a, b)], (out[0].ptr, out[1]))


@pytest.fixture
def operands(backend):
    a, b, out = (put(np.arange(1000, dtype="f4")) for _ in range(3))
    add(a, b, out)  # compiles the kernel
    facula_cuda.synchronize()
    return a, b, out


def of_kind(found, kind):
    return found.work[found.work["kind"] == kind]


def test_kernels_run_in_the_wait_after_they_were_queued(operands, observed):
    take_work()
    before = time.monotonic_ns()
    for _ in range(3):
        add(*operands)
    queued = time.monotonic_ns()
    facula_cuda.synchronize()
    after = time.monotonic_ns()
    found = take_work()
    kernels, (wait,) = of_kind(found, KERNEL), of_kind(found, WAIT)[:1]
    assert len(kernels) == 3
    assert all(found.names[function].startswith("add_") for function in kernels["function"])
    assert set(kernels["thread"]) == {threading.get_native_id()}
    assert (kernels["queued"] >= before).all()
    assert (kernels["queued"] <= queued).all()
    assert queued <= wait["start"] <= wait["end"] <= after
    slack = 100_000  # of the conversion between the clocks, in ns
    assert wait["start"] - slack <= kernels["start"].min() <= kernels["end"].max() <= wait["end"] + slack
    assert (kernels["end"][:-1] <= kernels["start"][1:]).all(), "one after another"
    assert found.lost == 0
    assert "simulated" in found.devices[0]


def test_results_do_not_change(operands, observed):
    add(*operands)
    np.testing.assert_array_equal(get(*operands[2]), 2 * np.arange(1000, dtype="f4"))


def test_copies_have_bytes(observed):
    get(*put(np.arange(1000, dtype="f4")))
    assert of_kind(take_work(), COPY)["nbytes"].tolist().count(4000) == 2


def test_streams_and_threads(operands, observed):
    stream = facula_cuda.Stream()
    take_work()

    def queue():
        with facula_cuda.stream(stream):
            add(*operands)

    thread = threading.Thread(target=queue)
    thread.start()
    thread.join()
    add(*operands)
    found = of_kind(take_work(), KERNEL)
    assert set(found["stream"]) == {stream.handle, 0}
    assert len(set(found["thread"])) == 2


def test_a_graph_is_one_kernel(operands, observed):
    graph = facula_cuda.CUDAGraph()
    take_work()
    with facula_cuda.graph(graph):
        for _ in range(5):
            add(*operands)
    assert not len(of_kind(take_work(), KERNEL)), "captured work does not run"
    graph.replay()
    found = take_work()
    assert [found.names[one] for one in of_kind(found, KERNEL)["function"]] == ["graph"]


def test_more_work_than_there_is_room_for(operands, observed):
    take_work()
    for _ in range(5000):
        add(*operands)
    found = take_work()
    assert len(of_kind(found, KERNEL)) + found.lost == 5000
    assert len(of_kind(found, KERNEL)) > 1000


def test_events_that_cannot_be_recorded_lose_only_the_record(operands, observed):
    take_work()
    with failing("cuEventRecord", 2):
        add(*operands)
    add(*operands)
    found = take_work()
    assert len(of_kind(found, KERNEL)) == found.lost == 1
    np.testing.assert_array_equal(get(*operands[2]), 2 * np.arange(1000, dtype="f4"))


def test_without_observation_launches_make_the_same_calls(operands):
    def calls():
        before = driver_calls()
        for _ in range(10):
            add(*operands)
        return driver_calls() - before

    plain = calls()
    observe_devices()
    assert calls()["cuEventRecord"] > 20
    end_observation()
    assert calls() == plain


def test_observation_begins_with_the_driver(simulated):
    assert not opened.version
    observe_devices()
    simulated(memory=64 << 20)
    facula_cuda.synchronize()
    assert of_kind(end_observation(), WAIT)["device"].tolist() == [0]


def test_without_a_driver_there_is_no_work():
    observe_devices()
    found = end_observation()
    assert found.work.dtype == WORK
    assert not len(found.work)
    assert not found.devices
