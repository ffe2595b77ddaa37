"""Ranks that differ, fail, end or are late, without a launcher: every other rank raises an error that names them."""

import os
import signal
import time
from datetime import timedelta

import pytest

import facula_distributed as dist
from facula_distributed.testing import TIMEOUT, errors, finish, run, start
from facula_tensor import float64, ones, zeros

CALLS = {
    "operation": (lambda: dist.all_reduce(ones(5)), dist.barrier, "all_reduce(float32, shape (5,), SUM)", "barrier"),
    "shape": (lambda: dist.all_reduce(ones(5)), lambda: dist.all_reduce(ones(6)), "shape (5,)", "shape (6,)"),
    "dtype": (lambda: dist.all_reduce(ones(5)), lambda: dist.all_reduce(ones(5, dtype=float64)), "float32", "float64"),
    "reduction": (lambda: dist.all_reduce(ones(5)), lambda: dist.all_reduce(ones(5), dist.ReduceOp.MAX), "SUM", "MAX"),
    "root": (lambda: dist.broadcast(ones(5), 0), lambda: dist.broadcast(ones(5), 1), "rank 0)", "rank 1)"),
    "large": (lambda: dist.all_reduce(ones(500_000)), lambda: dist.all_reduce(ones(500_001)), "(500000,)", "(500001,)"),
    "groups": (lambda: dist.new_group([0]), lambda: dist.new_group([1]), "new_group", "new_group"),
}  # fmt: skip


def check_differences(rank):
    messages = {}
    for case, (first, second, *_) in CALLS.items():
        with pytest.raises(dist.MismatchError) as raised:
            (second if rank == 1 else first)()
        messages[case] = str(raised.value)
    return messages


def test_different_calls_are_named_on_all_ranks_with_both_lines():
    for messages in run(3, check_differences, timeout=TIMEOUT):
        for number, (case, (_, _, *words)) in enumerate(CALLS.items(), 2):
            message = messages[case]
            assert f"collective {number} differs: rank " in message
            assert all(word in message for word in words) and message.count("test_failures.py:") == 2


def check_nothing_is_changed(rank):
    value = ones(3 + rank)
    with pytest.raises(dist.MismatchError):
        dist.all_reduce(value)
    assert value.tolist() == [1] * (3 + rank)
    value = ones(4)
    dist.all_reduce(value)  # the group can still be used
    return value.tolist()


def test_a_mismatch_changes_nothing():
    assert run(2, check_nothing_is_changed) == [[2] * 4] * 2


def check_lengths(rank):
    sizes = [[1, 2], [3, 1]][rank]
    dist.all_to_all_single(zeros(4), ones(sum(sizes)), [1, 3] if rank == 0 else [3, 1], sizes)


def test_lengths_that_do_not_agree_are_named():
    for message in errors(2, check_lengths):
        assert "MismatchError: all_to_all_single: collective 2: rank 0 sends rank 1 another number" in message


def check_death(rank, how):
    for step in range(1_000_000 if how == "never" else 1000):
        if how != "never" and rank == 1 and step == 5:
            if how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if how == "leave":
                dist.destroy_process_group()
                time.sleep(0.5)
            return
        dist.all_reduce(ones(10))


@pytest.mark.parametrize("how", ["kill", "return", "leave"])
def test_a_rank_that_is_gone_is_named(how):
    found = finish(start(3, check_death, how))
    for rank in (0, 2):
        kind, message, _ = found[rank]
        assert kind == "error" and "RankError: all_reduce: rank 1 has " in message
        assert "after its collective 6, all_reduce(float32, shape (10,), SUM) at" in message
        assert "misses collective 7" in message


def check_late(rank):
    impatient = dist.new_group(timeout=timedelta(seconds=1))
    if rank == 1:
        dist.recv(zeros(1), 0)
        return
    try:
        dist.barrier(impatient)
    finally:
        dist.send(zeros(1), 1)


def test_a_late_rank_is_named_after_the_timeout():
    message, nothing = errors(2, check_late)
    assert "DistTimeoutError: barrier: rank 1 did not join collective 1 of group 1, barrier at" in message
    assert "within 1 s; after its collective 2, new_group at" in message and nothing is None


def check_background(rank):
    work = dist.all_reduce(ones(3 + rank), async_op=True)
    try:
        work.wait()
    except dist.MismatchError as error:
        assert work.exception() is error and not work.is_success() and work.is_completed()
        return True


def test_work_raises_the_error_of_its_operation():
    assert run(2, check_background) == [True, True]


def check_fork(rank):
    child = os.fork()
    if not child:
        os._exit(dist.is_initialized())
    assert os.waitpid(child, 0)[1] == 0
    dist.barrier()
    return dist.is_initialized()


def test_a_forked_child_has_no_group():
    assert run(2, check_fork) == [True, True]


def test_random_kills_leave_no_rank_waiting():
    groups = []
    for attempt in range(6):
        started = start(3, check_death, "never", timeout=timedelta(seconds=2))
        time.sleep(0.02 * attempt)
        os.kill(started[attempt % 3][0].pid, signal.SIGKILL)
        groups.append(started)
    for attempt, started in enumerate(groups):
        for rank, one in enumerate(finish(started)):
            if rank == attempt % 3:
                assert one is None
            else:
                assert one[0] == "error" and "Error: " in one[1], one
