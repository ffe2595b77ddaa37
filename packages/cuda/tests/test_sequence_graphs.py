"""Sequences of launches as CUDA graphs: the same results as launch by launch, and what the driver is asked for."""

import numpy as np
import pytest

from facula_cuda import Stream
from facula_cuda._driver import lib
from facula_cuda._port.driver import check
from facula_cuda._port.transfers import wait_for_device
from facula_cuda.testing import driver_calls, failing, pending
from facula_storage import Device, LaunchError, Storage, contiguous, float32, int64
from facula_storage.extend.memory import allocate
from facula_storage.extend.replay import Sequence

SIZE = 6
LAYOUT = contiguous((SIZE,), float32, Device("cpu"))


class Holder:
    __slots__ = ("grad", "hooks", "layout", "node", "offset", "storage")


SLOTS = (
    *[vars(Holder)[name] for name in ("layout", "storage", "offset", "node", "hooks", "grad")],
    *[vars(Storage)[name] for name in ("ptr", "version", "mutator")],
    *[vars(type(LAYOUT))[name] for name in ("shape", "strides", "dtype", "device")],
)


class Work:
    """A sequence: x is filled with a number, y = exp(x) is computed, and z[0] = sum(y).

    Its values are the addresses of y and z.
    """

    def __init__(self, backend, more=()):
        self.backend = backend
        self.layout = contiguous((SIZE,), float32, Device("cuda:0"))
        self.one = contiguous((), float32, Device("cuda:0"))
        self.x = allocate(self.layout)
        fill = backend.plan("fill", (float,), (self.layout,), ())
        exp = backend.plan("exp", (self.layout,), (self.layout,), ())
        total = backend.plan("sum", (self.layout,), (self.one,), ((0,), False))
        assert not total.workspace
        self.sequence = Sequence(
            SLOTS,
            [
                (fill.launch, (SIZE, self.x.ptr, 1.5)),
                (exp.launch, (SIZE, self.x.ptr, 0)),
                (total.launch, (1, 0, 0)),
                *more,
            ],
            [], 2, [(1, 2, 0, 0), (2, 1, 0, 0), (2, 2, 1, 0)], [], [], [], [],
        )  # fmt: skip
        self.is_combined = self.sequence.combine(backend.combined_launch())
        self.results = allocate(self.layout), allocate(self.one)

    def run(self, results=None):
        """Run the sequence, and return the driver's calls."""
        before = driver_calls()
        assert self.sequence.run((), tuple(result.ptr for result in results or self.results)) is None
        return dict(driver_calls() - before)

    def found(self, results=None):
        total = np.empty(1, "f4")
        self.backend.copy_out((results or self.results)[1].ptr, total)
        return float(total[0])


def expected(number):
    return pytest.approx(SIZE * np.exp(number), rel=1e-6)


@pytest.fixture
def work(backend):
    made = Work(backend)
    assert made.is_combined
    return made


def test_from_the_second_run_on_a_sequence_is_a_graph(work):
    assert work.run() == {"cuLaunchKernel": 3}
    assert work.run() == {
        "cuGraphCreate": 1, "cuGraphAddKernelNode_v2": 3, "cuGraphInstantiateWithFlags": 1, "cuGraphLaunch": 1
    }  # fmt: skip
    queued = pending()
    assert [work.run() for _ in range(3)] == [{"cuGraphLaunch": 1}] * 3
    assert pending() == queued + 9
    assert work.found() == expected(1.5)


def test_numbers_and_addresses_that_change_are_those_of_each_run(work):
    others = allocate(work.layout), allocate(work.one)
    third = allocate(work.layout), allocate(work.one)
    for number in range(6):
        work.sequence.set(0, 2, number / 4)  # a number of 8 bytes in the parameters of the first kernel
        results = (work.results, others, third)[number % 3]
        calls = work.run(results)
        assert work.found(results) == expected(number / 4)
    assert calls == {"cuGraphExecKernelNodeSetParams_v2": 3, "cuGraphLaunch": 1}


def test_queued_runs_keep_their_numbers(work):
    results = [(allocate(work.layout), allocate(work.one)) for _ in range(5)]
    for number, result in enumerate(results):
        work.sequence.set(0, 2, number / 4)
        work.run(result)
    assert [work.found(result) for result in results] == [expected(number / 4) for number in range(5)]


def test_two_sets_of_addresses_need_no_changes(work):
    both = work.results, (allocate(work.layout), allocate(work.one))
    for number in range(4):
        work.run(both[number % 2])
    assert [work.run(both[number % 2]) for number in range(4)] == [{"cuGraphLaunch": 1}] * 4
    assert work.found() == work.found(both[1]) == expected(1.5)


def test_on_another_stream_the_steps_are_launched_one_by_one(work):
    for _ in range(3):
        work.run()
    with Stream():
        assert work.run() == {"cuLaunchKernel": 3}
        assert work.found() == expected(1.5)
    assert work.run() == {"cuGraphLaunch": 1}


def test_a_launch_of_another_function_is_not_part_of_a_graph(backend):
    layout = contiguous((SIZE,), int64)
    from facula_cpu import CpuBackend  # a launch that computes at once

    kept = allocate(layout)
    fill = CpuBackend().plan("fill", (int,), (layout,), ())
    work = Work(backend, [(fill.launch, (SIZE, kept.ptr, 3))])
    assert work.is_combined
    for _ in range(3):
        assert work.run()["cuLaunchKernel"] == 3
    assert work.found() == expected(1.5)


@pytest.mark.parametrize("function", ["cuGraphCreate", "cuGraphInstantiateWithFlags", "cuGraphAddKernelNode_v2",
                                      "cuGraphExecKernelNodeSetParams_v2", "cuGraphLaunch"])  # fmt: skip
def test_where_the_driver_refuses_the_steps_are_launched_one_by_one(work, function):
    out_of_memory = 2
    work.run()
    with failing(function, out_of_memory):
        for number in range(4):
            work.sequence.set(0, 2, number / 4)
            work.run()
            assert work.found() == expected(number / 4)
    assert work.run() == {"cuLaunchKernel": 3}  # and it does not try again


def test_a_failed_launch_in_a_graph_is_named_by_its_steps(work):
    for _ in range(3):
        work.run()
    lib.facula_cuda_lose(0, 700)
    with pytest.raises(LaunchError) as caught:
        work.run()
    assert caught.value.args[1] == 700 and caught.value.args[5] == 0


def test_a_dropped_sequence_destroys_its_graphs(work):
    for number in range(3):
        work.sequence.set(0, 2, float(number))
        work.run()
    before = driver_calls()
    work.sequence = None
    calls = driver_calls() - before
    assert calls["cuGraphExecDestroy"] == 2 and calls["cuGraphDestroy"] == 1
    check("test", wait_for_device())  # the runs that were queued
    assert work.found() == expected(2)
