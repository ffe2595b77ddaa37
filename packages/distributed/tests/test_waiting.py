"""Barriers, and operations in the background."""

import time

import numpy as np
import pytest

import facula_distributed as dist
import facula_tensor
from facula_distributed.testing import run
from facula_tensor import arange, from_numpy


def own(rank, count):
    """Return the tensor that a rank sends; all ranks know it."""
    return (arange(count) * 7 + 3 * rank).remainder(101).to(facula_tensor.float32)


def check_barrier(rank, size):
    for late in range(size):
        if rank == late:
            time.sleep(0.05)
            marked = time.monotonic()
            dist.barrier()
            dist.broadcast_object_list([marked], late)
        else:
            dist.barrier()
            passed, found = time.monotonic(), [0]
            dist.broadcast_object_list(found, late)
            assert passed >= found[0]
    dist.monitored_barrier()


def test_nobody_passes_a_barrier_before_the_last_arrives():
    run(3, check_barrier, 3)


def check_background(rank, size):
    tensors = [own(rank, count) for count in (10, 5000, 700_000, 3)]
    work = [dist.all_reduce(one, async_op=True) for one in tensors]
    gathered = [facula_tensor.zeros(5) for _ in range(size)]
    last = dist.all_gather(gathered, own(rank, 5), async_op=True)
    assert last.wait() and all(one.is_completed() and one.is_success() for one in work)
    for one, done in zip(tensors, work, strict=True):
        assert done.result()[0] is one and done.exception() is None
        wanted = sum((own(other, one.numel()).numpy() for other in range(size)), np.float32(0))
        assert np.array_equal(one.numpy(), wanted)
    assert [one.tolist() for one in gathered] == [own(other, 5).tolist() for other in range(size)]
    waiting = dist.barrier(async_op=True)
    value = from_numpy(np.array([rank]))
    dist.all_reduce(value)  # after the barrier, since operations of a group keep their order
    assert waiting.is_completed() and value.item() == size * (size - 1) // 2


@pytest.mark.parametrize("size", [1, 3])
def test_operations_in_the_background_keep_their_order(size):
    run(size, check_background, size)
