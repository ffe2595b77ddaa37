"""Reports: waits by rank and line, operations in the background, and the model for more ranks."""

import pickle
import re
import time

import pytest

import facula_distributed as dist
from facula_distributed import HashStore
from facula_distributed._report.model import LINKS, Point, all_reduce_seconds, fit, model_of, step_seconds
from facula_distributed.testing import run
from facula_errors.testing import raises
from facula_tensor import ones, zeros


def late(rank):
    other = dist.new_group([1, 2])
    dist.barrier()
    dist.report()
    for _ in range(3):
        if rank == 2:
            time.sleep(0.05)
        dist.all_reduce(ones(1000))
    if rank == 1:
        time.sleep(0.1)
    if rank:
        dist.all_reduce(ones(10), group=other)
        dist.barrier(group=other)
    return dist.report(steps=3)


def test_waits_are_those_for_the_late_rank():
    reports = run(3, late)
    first = reports[0].lines[0]
    assert (first.operation, first.calls, first.nbytes) == ("all_reduce", 3, 12000)
    assert "test_report.py:" in first.line
    assert first.waited_for[0][0] == 2 and first.waited >= 0.03
    assert "rank 0 of 3: 3 steps, each" in repr(reports[0]) and "for rank 2 at" in repr(reports[0])
    within = next(line for line in reports[2].lines if line.nbytes == 40)
    assert within.waited_for[0][0] == 1  # as ranks of all, not of the group
    for one in reports:
        parts = one.compute + one.waited + one.transfer
        assert parts == pytest.approx(one.seconds) and one.seconds >= 0.15
        assert repr(pickle.loads(pickle.dumps(one))) == repr(one)
    assert reports[2].compute >= 0.15 and len(reports[2].lines) == 3


def in_background(rank):
    dist.report()
    if rank:
        time.sleep(0.1)
    work = dist.all_reduce(ones(1000), async_op=True)
    while not work.is_completed():
        time.sleep(0.01)
    work.wait()
    overlapped = dist.report()
    if rank:
        time.sleep(0.1)
    work = dist.all_reduce(ones(1000), async_op=True)
    dist.barrier()  # after the operation in the background
    blocked = dist.report()
    if rank:
        dist.send(zeros(1), 0)
    else:
        dist.recv(zeros(1), 1)
    return overlapped, blocked, dist.report()


def test_operations_in_the_background_cost_what_the_program_waits():
    overlapped, blocked, received = run(2, in_background)[0]
    line = next(line for line in overlapped.lines if line.operation == "all_reduce")
    assert line.is_async and line.calls == 1 and line.waited >= 0.03
    assert line.lost == (0, 0) == (overlapped.waited, overlapped.transfer) and overlapped.compute >= 0.05
    assert "all_reduce, async" in repr(overlapped)
    assert blocked.waited >= 0.03
    assert all(line.operation == "recv" and line.waited_for[0][0] == 1 for line in received.lines)


def test_reports_of_one_rank():
    with raises(ValueError, "distributed", "call init_process_group first"):
        dist.report()
    dist.init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    try:
        for wrong in (0, True, 1.5):
            with raises(ValueError, "report", "steps to be a positive integer", value=repr(wrong)):
                dist.report(steps=wrong)
        assert dist.report().lines == ()
        assert dist.report().waited == 0 and "waited 0.00, transfer" in repr(dist.report())
        dist.all_reduce(ones(100_000))
        text = repr(dist.report(model=True))
        assert "400.0 kB: measured" in text and "1,024" in text and "25 Gb/s" in text
        assert "no transfers were measured" in repr(dist.report(model=True))
    finally:
        dist.destroy_process_group()


def modelled(rank):
    dist.report()
    for _ in range(3):
        dist.all_reduce(ones(250))
        dist.all_reduce(ones(250_000))
    return repr(dist.report(steps=3, model=True))


def test_the_model_is_printed_beside_measured_transfers():
    for text in run(2, modelled):
        for size in ("1.0 kB", "1000.0 kB"):
            assert re.search(rf" {size}: measured +[\d.]+ us, model +[\d.]+ us", text)
        assert re.search(r"8 +32 +128 +512 +1,024", text)
        for link in LINKS:
            assert re.search(rf"{link}( +[01]\.\d\d){{5}}", text)


def test_the_model():
    points = [Point(n, 20e-6 + n / 5e9, 10) for n in (1e3, 1e6, 4e6)]
    assert fit(points) == pytest.approx((20e-6, 1 / 5e9))
    assert fit([Point(1e6, 1e-3, 1)]) == pytest.approx((0, 1e-9)) and fit([]) == (0, 0)
    assert fit([Point(1e3, 1e-3, 1), Point(1e6, 1e-4, 1)])[0] == 0  # a larger transfer that is faster
    assert all_reduce_seconds(1e6, 1, 1, 1) == 0
    assert all_reduce_seconds(1e6, 2, 1e-3, 1e-6) == pytest.approx(2e-3 + 1)
    assert step_seconds(3.0, [(1, 0.5), (1, 0.5)]) == pytest.approx(3.5)  # the last transfer follows the backward pass
    assert step_seconds(3.0, [(1, 2.0), (1, 2.0)]) == pytest.approx(6.0)  # the link is always in use
    model = model_of([Point(25e6, 10e-3, 40)], 10.0, 12.0, 2, 10)
    assert model.measured == pytest.approx(10 / 12)
    for shares in model.shares.values():
        assert list(shares) == sorted(shares, reverse=True) and 0 < shares[-1] <= 1
    assert model.shares["1 Gb/s"][0] < model.shares["25 Gb/s"][0]
