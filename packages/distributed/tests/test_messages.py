"""Messages between two processes: order, tags, sources, sizes, and errors."""

import time
from datetime import timedelta

import pytest

import facula_distributed as dist
from facula_distributed.testing import errors, run
from facula_errors.testing import raises
from facula_tensor import arange, float64, tensor, zeros


def check_order(rank, size):
    if rank == 0:
        for number in range(5):
            dist.send(tensor([float(number)]), 1, tag=number % 2)
        dist.send(arange(300_000), 1)
        return None
    found = []
    for tag in (1, 1, 0, 0, 0):
        value = zeros(1)
        assert dist.recv(value, 0, tag=tag) == 0
        found.append(value.item())
    large = zeros(300_000).to(arange(1).dtype)
    dist.recv(large)
    assert large.equal(arange(300_000))
    return found


def test_messages_of_a_tag_arrive_in_order():
    assert run(2, check_order, 2)[1] == [1, 3, 0, 2, 4]


def check_ring(rank, size):
    received, sent = zeros(1000), arange(1000.0) + rank
    operations = [dist.P2POp(dist.irecv, received, (rank - 1) % size), dist.P2POp(dist.isend, sent, (rank + 1) % size)]
    for work in dist.batch_isend_irecv(operations):
        assert work.wait() and work.is_completed()
    assert received.equal(arange(1000.0) + (rank - 1) % size)
    first, second = zeros(1), zeros(1)
    receipts = [dist.irecv(one, (rank - 1) % size) for one in (first, second)]
    dist.send(tensor([1.0]), (rank + 1) % size)
    dist.send(tensor([2.0]), (rank + 1) % size)
    receipts[1].wait()  # the second message, although the program waits for it first
    assert receipts[0].is_completed() and (first.item(), second.item()) == (1, 2)
    return True


def check_background(rank, size):
    """Check that messages arrive in any order of the sources while the program does not wait."""
    if rank:
        dist.recv(zeros(1), 0)
        dist.send(arange(1000.0) * rank, 0, tag=rank)
        dist.send(tensor([7.0]), 0, tag=9)
        return True
    values = [zeros(1000) for _ in range(1, size)]
    work = [dist.irecv(value, other, tag=other) for other, value in enumerate(values, 1)]
    late = zeros(1)
    last = dist.irecv(late, size - 1, tag=9)
    assert not any(one.is_completed() for one in work)
    with raises(dist.DistTimeoutError, "Work.wait", "did not end within 0.01 s"):
        work[0].wait(timedelta(seconds=0.01))
    for other in range(size - 1, 0, -1):
        dist.send(zeros(1), other)
        while values[other - 1][1].item() != other:  # without a question to the work, which could receive, too
            time.sleep(0.001)
        assert work[other - 1].wait() and values[other - 1].equal(arange(1000.0) * other)
    assert last.wait() and last.is_completed() and late.item() == 7
    return all(one.wait() for one in work)


def test_irecv_completes_while_the_program_does_not_wait():
    assert all(run(3, check_background, 3))


def check_failed_background(rank, size):
    if rank == 1:
        work = dist.irecv(zeros(1), 0)
        other = dist.irecv(zeros(2), 2)
        with pytest.raises(dist.RankError) as raised:
            work.wait()
        assert str(raised.value).startswith("irecv: rank 0 has ended, after its collective 1")
        with raises(dist.MismatchError, "irecv", "expected send(float32, shape (2,))"):
            other.wait()
        assert work.is_completed() and not work.is_success() and isinstance(work.exception(), dist.RankError)
        work = dist.irecv(zeros(1), 2)
        dist.destroy_process_group()
        with pytest.raises(dist.DistBackendError) as raised:
            work.wait()
        assert str(raised.value).startswith("irecv: destroy_process_group was called")
    elif rank == 2:
        dist.send(zeros(1), 1)
        time.sleep(0.5)


def test_irecv_raises_when_the_program_waits():
    assert errors(3, check_failed_background, 3) == [None] * 3


@pytest.mark.parametrize("size", [2, 3])
def test_a_ring_of_messages(size):
    assert all(run(size, check_ring, size))


def check_any_source(rank, size):
    if rank:
        dist.send(tensor([rank]), 0)
        dist.send_object_list([rank, "x" * rank], 0)
        return None
    found, objects = set(), set()
    for _ in range(size - 1):
        value = tensor([0])
        source = dist.recv(value)
        assert value.item() == source
        found.add(source)
        place = [None, None]
        source = dist.recv_object_list(place)
        assert place == [source, "x" * source]
        objects.add(source)
    return found == objects == set(range(1, size))


def test_messages_from_any_process():
    assert run(3, check_any_source, 3)[0]


def check_many(rank, size):
    if rank == 0:
        for number in range(600):  # more than a mailbox has room for
            dist.send(tensor([number]), 1)
        return None
    value, found = tensor([0]), []
    for _ in range(600):
        dist.recv(value, 0)
        found.append(value.item())
    return found


def test_a_full_mailbox_waits_for_the_receiver():
    assert run(2, check_many, 2)[1] == list(range(600))


def check_views(rank, size):
    base = arange(12.0).reshape(3, 4) * (rank + 1)
    if rank == 0:
        dist.send(base[:, 1], 1)
        return None
    version = base._version
    dist.recv(base[:, 2], 0)
    assert base._version > version
    return base.tolist()


def test_views_are_sent_and_received():
    assert run(2, check_views, 2)[1] == [[0, 2, 1, 6], [8, 10, 5, 14], [16, 18, 9, 22]]


def check_mismatch(rank, size):
    if rank == 0:
        dist.send(zeros(3), 1)
    else:
        dist.recv(zeros(3, dtype=float64), 0)


def test_different_dtypes_are_named_with_both_lines():
    _, message = errors(2, check_mismatch, 2)
    assert "MismatchError: recv: expected send(float64, shape (3,))" in message
    assert "rank 0 calls send(float32, shape (3,)) at" in message and message.count("test_messages.py:") == 2


def check_no_sender(rank, size):
    if rank == 1:
        dist.recv(zeros(1), 0)


def test_a_sender_that_has_ended_is_named():
    assert "RankError: recv: rank 0 has ended" in errors(2, check_no_sender, 2)[1]


def check_old_letters(rank):
    """A message that stays unread while many others pass does not use up the mailbox."""
    if rank == 0:
        dist.send(tensor([-1]), 1, tag=7)
        for number in range(600):
            dist.send(tensor([number]), 1)
        return None
    found = []
    for _ in range(600):
        dist.recv(value := tensor([0]), 0)
        found.append(value.item())
    dist.recv(value, 0, tag=7)
    return found, value.item()


def test_unread_messages_do_not_block_others():
    assert run(2, check_old_letters)[1] == (list(range(600)), -1)
