"""Shared memory that runs out: an error on every rank, which names the one without memory, and no tensor is changed."""

import errno
import os
import resource
from contextlib import nullcontext
from unittest import mock

import pytest

import facula_distributed as dist
from facula_distributed.testing import TIMEOUT, errors, run
from facula_multiprocessing import SharedMemoryError
from facula_tensor import ones, tensor, zeros

CALLS = {
    "all_reduce": dist.all_reduce,
    "all_gather_into_tensor": lambda value: dist.all_gather_into_tensor(zeros(1_500_000), value),
    "all_gather_object": lambda value: dist.all_gather_object([None] * 3, value.tolist()),
    "new_group": lambda value: dist.new_group([0, 1, 2]),
}


def full_memory():
    """Return a context in which the kernel reserves no memory for this process."""
    return mock.patch("os.posix_fallocate", side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


def check_full(rank, full):
    """Check calls for which some ranks have no memory; afterwards the group works."""
    dist.barrier()
    for name, call in CALLS.items():
        value = ones(500_000)
        with pytest.raises(SharedMemoryError if rank in full else dist.RankError) as raised:
            with full_memory() if rank in full else nullcontext():
                call(value)
        assert value.sum().item() == 500_000
        if rank not in full:
            assert f"rank {full[0]} has no shared memory left for {name}" in str(raised.value)
            assert raised.value.rank == full[0] and "test_memory.py:" in str(raised.value)
    value = tensor([1.0])
    dist.all_reduce(value)
    return value.item()


@pytest.mark.parametrize("full", [[1], [0, 2], [0, 1, 2]])
def test_all_ranks_raise_if_some_have_no_memory(full):
    assert run(3, check_full, full, timeout=TIMEOUT) == [3] * 3


def check_message(rank):
    dist.barrier()
    if rank == 0:
        with full_memory():
            dist.send(ones(500_000), 1)
    dist.recv(zeros(500_000), 0)


def test_a_message_without_memory():
    messages = errors(2, check_message)
    assert messages[0].startswith("SharedMemoryError: shared memory: ")
    assert messages[1].startswith("RankError: recv: rank 0 has ended")


def start_without_memory(rank, path, full, is_limited):
    dist.destroy_process_group()
    with full_memory() if rank == full else nullcontext():
        if is_limited:  # the size of files, but the small one of the store
            resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 10, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        dist.init_process_group("gloo", f"file://{path}", rank=rank, world_size=2)


@pytest.mark.parametrize(("full", "is_limited"), [(0, False), (0, True), (1, False)])
def test_a_start_without_memory_is_named(tmp_path, full, is_limited):
    messages = errors(2, start_without_memory, str(tmp_path / "group"), full, is_limited)
    assert messages[full].startswith("SharedMemoryError: ") and f"rank {full} failed: " in messages[1 - full]
