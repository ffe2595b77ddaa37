"""The engines between machines: results, errors and messages are those of shared memory.

Machines are simulated: ranks of one machine are told that they are on several.
"""

import sys
from datetime import timedelta
from types import SimpleNamespace

import pytest
import test_failures
import test_messages
import test_waiting
from hypothesis import given, settings
from hypothesis import strategies as st
from test_properties import OPERATIONS, THOROUGH, cases, check, check_large

import facula_distributed as dist
from facula_distributed.extend import default_group
from facula_distributed.testing import TIMEOUT, finish, run, start
from facula_tensor import ones

pytestmark = pytest.mark.skipif(not dist.is_mpi_available(), reason="mpi4py and an MPI library are not installed")
ENGINES = [(2, {"backend": "mpi"}), (4, {"machines": 2})]
ALL = [*ENGINES, (3, {"backend": "mpi"}), (3, {"machines": 3}), (5, {"machines": 3})]


def check_kind(rank):
    return type(default_group()._member).__name__


def test_engines_are_chosen_by_machines():
    kinds = {run(size, check_kind, **engine)[0] for size, engine in ALL[2:]}
    assert kinds == {"MpiMember", "TwoLevelMember"}


@pytest.mark.parametrize("times", [1, pytest.param(THOROUGH, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(("size", "engine"), ALL, ids=str)
def test_every_collective_returns_what_numpy_does(size, engine, times):
    @settings(max_examples=max(2, times * settings().max_examples // 24))
    @given(st.tuples(*(cases(size, operation) for operation in OPERATIONS)))
    def compare(drawn):
        run(size, check, drawn, **engine)

    compare()


@pytest.mark.parametrize("engine", [{"backend": "mpi"}, {"machines": 2}], ids=str)
def test_every_reduction_of_several_rounds(engine):
    run(3, check_large, "reduce", **engine)


def check_all(rank, size):
    """Checks of one set of ranks, of which none ends."""
    assert test_failures.check_nothing_is_changed(rank) == [size] * 4
    assert test_failures.check_background(rank)
    found = test_failures.check_differences(rank)
    with pytest.raises(dist.MismatchError) as raised:
        sizes = [1, 2, *[3] * (size - 2)] if rank == 0 else [1] * size
        dist.all_to_all_single(ones(size), ones(sum(sizes)), [1] * size, sizes)
    assert "rank 0 sends rank 1 another number of elements" in str(raised.value)
    test_waiting.check_barrier(rank, size)
    test_waiting.check_background(rank, size)
    test_messages.check_ring(rank, size)
    assert test_messages.check_any_source(rank, size) in (None, True)
    return found


@pytest.mark.parametrize(("size", "engine"), ENGINES, ids=str)
def test_differences_are_named_on_all_ranks(size, engine):
    for messages in run(size, check_all, size, timeout=TIMEOUT, **engine):
        for case, (_, _, *words) in test_failures.CALLS.items():
            assert " differs: rank " in messages[case] and all(word in messages[case] for word in words)


@pytest.mark.parametrize(("size", "engine"), ENGINES, ids=str)
@pytest.mark.parametrize("how", ["kill", "leave"])
def test_a_rank_that_is_gone_is_named(size, engine, how):
    found = finish(start(size, test_failures.check_death, how, **engine))
    for rank in {0, size - 1} - {1}:
        kind, message, _ = found[rank]
        assert kind == "error" and "RankError: all_reduce: rank 1 has " in message
        assert "after its collective 6, all_reduce(float32, shape (10,), SUM) at" in message


def check_late(rank):
    group = dist.new_group(timeout=timedelta(seconds=0.5))
    if rank == 1:
        dist.barrier()
        return None
    with pytest.raises(dist.DistTimeoutError) as raised:
        dist.all_reduce(ones(100_000), group=group)
    with pytest.raises(dist.DistBackendError):
        dist.barrier(group)
    dist.barrier()
    return str(raised.value)


@pytest.mark.parametrize(("size", "engine"), ENGINES, ids=str)
def test_a_late_rank_is_named_after_the_timeout(size, engine):
    for message in run(size, check_late, **engine)[::2]:
        assert "all_reduce: rank 1 did not join collective 1 of group " in message
        assert ", all_reduce(float32, shape (100000,), SUM) at " in message


def check_again(rank, address):
    """A group after another one, and one of MPI after one of shared memory."""
    dist.all_reduce(ones(3))
    dist.destroy_process_group()
    for number, backend in enumerate(("mpi", "gloo")):
        dist.init_process_group(backend, f"{address}{number}", rank=rank, world_size=2)
        group = dist.new_group(backend="mpi")
        value = ones(3)
        dist.all_reduce(value, group=group)
        dist.send(value, 1 - rank, group)
        dist.recv(value, 1 - rank, group)
        assert value.tolist() == [2] * 3 and dist.get_backend(group) == "mpi"
        dist.destroy_process_group()


def test_processes_can_make_groups_again(tmp_path):
    run(2, check_again, f"file://{tmp_path}/group", backend="mpi", timeout=TIMEOUT)


def check_missing(rank, address):
    dist.destroy_process_group()
    if rank == 1:
        sys.modules["mpi4py"] = None
        assert not dist.is_mpi_available()
    with pytest.raises(dist.DistBackendError) as raised:
        dist.init_process_group("mpi", address, rank=rank, world_size=2, timeout=TIMEOUT)
    return type(raised.value), str(raised.value)


def check_full(rank, address):
    dist.destroy_process_group()
    with pytest.MonkeyPatch.context() as patch:
        if rank == 1:
            patch.setattr("os.statvfs", lambda path: SimpleNamespace(f_bavail=16, f_frsize=4096))
        with pytest.raises(dist.DistBackendError) as raised:
            dist.init_process_group("mpi", address, rank=rank, world_size=2, timeout=TIMEOUT)
    return str(raised.value)


def test_full_shared_memory_of_mpi_is_named_on_all_ranks(tmp_path):
    other, message = run(2, check_full, f"file://{tmp_path}/group", timeout=TIMEOUT)
    assert "rank 1 failed: expected 3 MiB of free memory in /dev/shm, for MPI; got 0; enlarge it" in other
    assert message.startswith("init_process_group: expected 3 MiB")


def test_missing_mpi_is_named_on_all_ranks(tmp_path):
    (other, named), (kind, message) = run(2, check_missing, f"file://{tmp_path}/group", timeout=TIMEOUT)
    assert other is dist.RankError and named.startswith("init_process_group: rank 1 failed: expected mpi4py")
    assert kind is dist.DistBackendError and "pip install mpi4py mpich" in message
