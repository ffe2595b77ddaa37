"""Wrong elements that kernels report, on simulated devices: which launch is named, and when its error is raised."""

import gc
import sys

import numpy as np
import pytest
from backend_helpers import get, put
from simulated_calls import build_kernels, functions, load

from facula_cuda import synchronize, waits
from facula_cuda._driver import ffi, lib
from facula_cuda._planners import reports
from facula_cuda._planners.reports import RECORDS, record_of, records_of, reporting
from facula_cuda._port.graphs import CUDAGraph, graph
from facula_cuda._port.streams import Stream, stream
from facula_storage import LaunchError, Plan, bind

SOURCE = r"""
#include <stdint.h>
void check(const struct { int64_t n; const int64_t *at; int64_t *o, end; uint64_t *record; } *p, unsigned b, unsigned t)
{
    for (int64_t i = 0; i < p->n; i++) {
        if (p->at[i] < p->end) {
            p->o[i] = p->at[i];
        } else if (!p->record[0]) {
            p->record[0] = 1;
            p->record[1] = p->at[i];
            p->record[2] = i;
            p->record[3] = p->end;
        }
    }
}
"""


class Called(Exception):
    """The error of a launch, with the line that made it."""


class Description:
    """What facula_tensor would append to `pending_launches`."""

    def __init__(self, operator, layouts):
        frame = sys._getframe(1)
        while frame.f_code.co_filename != __file__:
            frame = frame.f_back
        self.line, self.operator, self.layouts = frame.f_lineno, operator, layouts

    def error(self, status, *details):
        return Called(self.operator, self.layouts, status, details, self.line)


@pytest.fixture
def described(monkeypatch):
    monkeypatch.setattr(reports, "pending_launches", [Description])


@pytest.fixture
def plan(backend, tmp_path):
    """Return a plan whose kernel reports each index of 5 or more, and the layout of its operand."""
    (function,) = functions(load(build_kernels(tmp_path, SOURCE)), "check")
    struct = ffi.new("struct facula_cuda_fixed *", {"constant": [5]})
    struct.record, struct.words, struct.constants, struct.steps = record_of(0), 3, 1, 1
    struct.step[0].function, struct.step[0].blocks, struct.step[0].threads = function, 1, 1
    kernel = int(ffi.cast("intptr_t", ffi.addressof(lib, "facula_cuda_fixed")))
    _, layout = put(np.zeros(3, "i8"))
    launch = bind(kernel, int(ffi.cast("intptr_t", struct)), 1 << 62, 0, struct)
    return Plan("take", (), (layout,), launch), layout


def operands(indices):
    return put(np.array(indices, "i8"))[0], put(np.full(len(indices), -1, "i8"))


def test_the_launch_that_failed_is_named(plan, described):
    plain, layout = plan
    made = reporting(plain, 0, (layout, int))
    (good, out), (bad, other) = operands([1, 4, 0]), operands([2, 7, 9])
    made.launch(3, good.ptr, out[0].ptr)
    made.launch(3, bad.ptr, other[0].ptr)  # the line
    line = sys._getframe().f_lineno - 1
    made.launch(3, good.ptr, out[0].ptr)
    before = waits()
    with pytest.raises(Called) as caught:
        get(*out)
    assert caught.value.args == ("take", [layout], 1, (7, 1, 5, 0), line)
    assert waits() == before + 1
    assert get(*out).tolist() == [1, 4, 0]  # the error is raised once
    assert get(*other).tolist() == [2, -1, -1]
    assert not records_of(0).pending and len(records_of(0).idle) == RECORDS - 1


def test_a_wait_reports_the_launches_that_it_includes(plan, described):
    made, side = reporting(plan[0], 0, ()), Stream(0)
    (bad, out), (good, there) = operands([8, 1, 1]), operands([1, 1, 1])
    synchronize()
    with stream(side):
        made.launch(3, bad.ptr, out[0].ptr)
    made.launch(3, good.ptr, there[0].ptr)
    assert get(*there).tolist() == [1, 1, 1]
    assert len(records_of(0).pending) == 1
    with pytest.raises(Called, match="8"):
        side.synchronize()
    assert not records_of(0).pending


def test_without_a_description(plan):
    made = reporting(plan[0], 0, ())
    bad, out = operands([0, 0, 6])
    for launch in (made.launch, plan[0].launch):  # with a record of its own, and with the device's
        launch(3, bad.ptr, out[0].ptr)
        with pytest.raises(LaunchError) as caught:
            get(*out)
        assert caught.value.args == (1, 6, 2, 5, 0)
        assert get(*out).tolist() == [0, 0, -1]


def test_more_launches_than_records(plan, described):
    made = reporting(plan[0], 0, ())
    good, out = operands([1, 1, 1])
    before = waits()
    for _ in range(RECORDS - 1):
        made.launch(3, good.ptr, out[0].ptr)
    assert waits() == before and not records_of(0).idle
    made.launch(3, good.ptr, out[0].ptr)
    assert waits() == before + 1 and len(records_of(0).pending) == 1
    synchronize()
    bad, there = operands([8, 1, 1])
    for _ in range(RECORDS - 2):
        made.launch(3, good.ptr, out[0].ptr)
    made.launch(3, bad.ptr, there[0].ptr)
    with pytest.raises(Called, match="8"):
        made.launch(3, good.ptr, out[0].ptr)


def test_a_launch_that_is_not_queued_keeps_no_record(plan, described):
    made = reporting(plan[0], 0, ())
    with pytest.raises(TypeError):
        made.launch(3, None, 0)
    assert not records_of(0).pending and lib.facula_cuda_record() == 0


def test_replays_of_a_graph_report_the_captured_call(plan, described):
    made = reporting(plan[0], 0, ())
    bad, out = operands([5, 0, 0])
    captured = CUDAGraph()
    with graph(captured):
        made.launch(3, bad.ptr, out[0].ptr)  # the line
        line = sys._getframe().f_lineno - 1
    for _ in range(2):
        captured.replay()
        with pytest.raises(Called) as caught:
            get(*out)
        assert caught.value.args == ("take", [], 1, (5, 0, 5, 0), line)
    captured.replay()
    del captured  # its record is released at the next wait
    gc.collect()
    with pytest.raises(Called):
        get(*out)
    assert get(*out).tolist()[1:] == [0, 0]
    assert len(records_of(0).idle) == RECORDS - 1 and not records_of(0).kept


def test_launches_for_replays_report_the_call_that_they_repeat(plan, described):
    plain, layout = plan
    made = reporting(plain, 0, (layout,))
    launches = [made.launch.for_replays() for _ in range(2)]
    line = sys._getframe().f_lineno - 1
    good, out = operands([1, 4, 0])
    bad, other = operands([0, 9, 9])
    for launch, wrong in ((launches[0], 9), (launches[1], 9), (made.launch, 9)):
        launch(3, good.ptr, out[0].ptr)
        launch(3, bad.ptr, other[0].ptr)
        with pytest.raises(Called) as caught:
            synchronize()
        assert caught.value.args[:4] == ("take", [layout], 1, (wrong, 1, 5, 0))
        assert (caught.value.args[4] == line) is (launch is not made.launch)
    synchronize()
    del launches, launch
    synchronize()
    assert len(records_of(0).idle) == RECORDS - 1


def test_more_launches_for_replays_than_records(plan, described):
    made = reporting(plan[0], 0, ())
    launches = [made.launch.for_replays() for _ in range(reports.MAX_KEPT + 1)]
    bad, out = operands([0, 9, 9])
    launches[-1](3, bad.ptr, out[0].ptr)
    with pytest.raises(LaunchError):
        synchronize()
    launches[-2](3, bad.ptr, out[0].ptr)
    with pytest.raises(Called):
        synchronize()
