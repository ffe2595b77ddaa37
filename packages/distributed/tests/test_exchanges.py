"""Copies between processes against what each rank is known to have, and barriers."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranks import run

import facula_distributed as dist
import facula_tensor
from facula_tensor import arange, from_numpy, tensor

DTYPES = (facula_tensor.float32, facula_tensor.int8, facula_tensor.bool, facula_tensor.complex128)


def own(rank, count, dtype=facula_tensor.float32, row=0):
    """Return the tensor that a rank sends; all ranks know it."""
    return (arange(count) * 7 + 3 * rank + 11 * row).remainder(101).to(dtype)


def check_copies(rank, size):
    for dtype in DTYPES:
        for count in (1, 1000, 700_001):
            mine, zeros = own(rank, count, dtype), facula_tensor.zeros(count, dtype=dtype)
            everyone = [own(other, count, dtype).numpy() for other in range(size)]
            for root in (0, size - 1):
                result = mine.clone()
                dist.broadcast(result, root)
                assert np.array_equal(result.numpy(), everyone[root])
                outputs = [zeros.clone() for _ in range(size)] if rank == root else None
                dist.gather(mine, outputs, root)
                assert outputs is None or np.array_equal([one.numpy() for one in outputs], everyone)
                result = zeros.clone()
                inputs = [own(root, count, dtype, row) for row in range(size)] if rank == root else None
                dist.scatter(result, inputs, root)
                assert np.array_equal(result.numpy(), own(root, count, dtype, rank).numpy())
            outputs = [zeros.clone() for _ in range(size)]
            dist.all_gather(outputs, mine)
            assert np.array_equal([one.numpy() for one in outputs], everyone)
            result = facula_tensor.cat([zeros] * size)
            dist.all_gather_into_tensor(result, mine)
            assert np.array_equal(result.numpy(), np.concatenate(everyone))
            stacked = facula_tensor.zeros(size, count, dtype=dtype)
            dist.all_gather_into_tensor(stacked, mine)
            assert np.array_equal(stacked.numpy(), everyone)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_broadcast_gather_scatter_all_gather(size):
    run(size, check_copies, size)


def check_all_to_all(rank, size, lengths, columns):
    sent = [own(rank, length * columns, row=to).reshape(length, columns) for to, length in enumerate(lengths[rank])]
    received = [lengths[other][rank] for other in range(size)]
    wanted = [own(other, length * columns, row=rank).reshape(length, columns) for other, length in enumerate(received)]
    outputs = [facula_tensor.zeros(length, columns) for length in received]
    dist.all_to_all(outputs, sent)
    assert all(np.array_equal(one.numpy(), two.numpy()) for one, two in zip(outputs, wanted, strict=True))
    output = facula_tensor.zeros(sum(received), columns)
    dist.all_to_all_single(output, facula_tensor.cat(sent), received, lengths[rank])
    assert np.array_equal(output.numpy(), facula_tensor.cat(wanted).numpy())


@given(st.integers(1, 3).flatmap(lambda size: st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size),
                                                       min_size=size, max_size=size)))  # fmt: skip
def test_all_to_all_of_any_lengths(lengths):
    run(len(lengths), check_all_to_all, len(lengths), lengths, 3)


def test_all_to_all_of_several_rounds():
    run(2, check_all_to_all, 2, [[100_000, 1], [300_001, 2]], 3)


def check_equal_split(rank, size):
    result = facula_tensor.zeros(2 * size)
    dist.all_to_all_single(result, arange(2.0 * size) + 100 * rank)
    assert result.tolist() == [100 * other + 2 * rank + place for other in range(size) for place in range(2)]


def test_all_to_all_of_equal_parts():
    run(3, check_equal_split, 3)


def check_objects(rank, size):
    found = [None] * size
    dist.all_gather_object(found, {"rank": rank, "data": "x" * 1000 * rank, "tensor": tensor([rank])})
    assert [(one["rank"], len(one["data"]), one["tensor"].tolist()) for one in found] == [
        (other, 1000 * other, [other]) for other in range(size)]  # fmt: skip
    places = [None] * size if rank == size - 1 else None
    dist.gather_object(rank * 10, places, size - 1)
    assert places == ([10 * other for other in range(size)] if rank == size - 1 else None)
    objects = [f"of {rank}", rank]
    dist.broadcast_object_list(objects, 0)
    assert objects == ["of 0", 0]
    place = [None]
    dist.scatter_object_list(place, [f"for {other}" for other in range(size)] if rank == 0 else None, 0)
    assert place == [f"for {rank}"]


@pytest.mark.parametrize("size", [1, 3])
def test_objects(size):
    run(size, check_objects, size)


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
