"""Groups: addresses at which processes meet, members, and questions about them."""

import os
import socket
import threading
from datetime import timedelta

import pytest
from launcher import begin_program, end, free_port

import facula_distributed as dist
from facula_distributed import GroupMember
from facula_distributed.testing import TIMEOUT, errors, run
from facula_errors.testing import raises
from facula_multiprocessing import spawn
from facula_tensor import ones, tensor


def sum_of_ranks(rank):
    value = tensor([rank])
    dist.all_reduce(value)
    return value.item(), dist.get_rank(), dist.get_world_size(), dist.get_backend()


def test_processes_meet_at_a_port():
    address = f"tcp://localhost:{free_port()}"
    assert run(3, sum_of_ranks, address=address) == [(3, rank, 3, "gloo") for rank in range(3)]


PROGRAM = """
import facula_distributed as dist
from facula_tensor import tensor
dist.init_process_group()
value = tensor([dist.get_rank() + 1])
dist.all_reduce(value)
print(value.item(), dist.get_world_size(), dist.get_node_local_rank(), flush=True)
dist.barrier()
"""


@pytest.mark.parametrize("launcher", [{}, {"TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_USE_AGENT_STORE": "True"}])
def test_processes_meet_by_the_variables_of_launchers(tmp_path, launcher):
    port = free_port()
    with socket.socket() as agent:  # torchrun itself uses the port
        if launcher:
            agent.bind(("127.0.0.1", port))
            agent.listen()
        common = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), **launcher}
        started = [
            begin_program(tmp_path, PROGRAM, [], [], env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)})
            for rank in range(2)
        ]
        assert [end(one) for one in started] == [(0, "3 2 0\n", ""), (0, "3 2 1\n", "")]


def test_a_port_of_another_program_is_named_on_all_ranks():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()

        def answer():
            while True:
                try:
                    other.accept()[0].sendall(b"HTTP/1.1 400 Bad Request\r\n")
                except OSError:
                    return

        threading.Thread(target=answer, daemon=True).start()
        port = other.getsockname()[1]
        messages = errors(2, sum_of_ranks, address=f"tcp://localhost:{port}")
        other.shutdown(socket.SHUT_RDWR)
    assert f"port {port} cannot be used" in messages[0]
    assert "belongs to another program; choose a free port" in messages[1]


def test_missing_processes_are_named(tmp_path):
    with raises(
        dist.DistNetworkError,
        "init_process_group",
        "expected 3 processes within 0.1 s",
        r"ranks [1, 2] did not connect",
    ):
        dist.init_process_group(
            "gloo", f"file://{tmp_path}/group", timeout=timedelta(seconds=0.1), rank=0, world_size=3
        )
    assert not dist.is_initialized()


def check_groups(rank):
    low, high = dist.new_group([0, 1]), dist.new_group([3, 2])
    own, other = (low, high) if rank < 2 else (high, low)
    assert other == GroupMember.NON_GROUP_MEMBER and dist.get_pg_count() == 2
    assert dist.get_rank(other) == dist.get_world_size(other) == -1  # without a warning
    value = tensor([10**rank])
    dist.all_reduce(value, group=own)
    ranks = [0, 1] if rank < 2 else [2, 3]
    assert value.item() == sum(10**one for one in ranks)
    assert dist.get_process_group_ranks(own) == ranks and dist.get_rank(own) == rank % 2
    assert dist.get_group_rank(own, ranks[1]) == 1 and dist.get_global_rank(own, 0) == ranks[0]
    value = tensor([rank])
    dist.broadcast(value, ranks[1], group=own)
    assert value.item() == ranks[1]
    dist.broadcast(value, group=own, group_src=0)
    assert value.item() == ranks[1]
    with pytest.raises(ValueError, match="src to be a rank of the group"):
        dist.broadcast(value, (rank + 2) % 4, group=own)
    for call in (
        lambda: dist.broadcast(value, rank, group=other),
        lambda: dist.reduce(value, rank, group=other),
        lambda: dist.gather(value, dst=rank, group=other),
        lambda: dist.scatter(value, src=rank, group=other),
        lambda: dist.broadcast_object_list([1], rank, group=other),
        lambda: dist.gather_object(1, dst=rank, group=other),
        lambda: dist.send(value, rank, group=other),
        lambda: dist.recv(value, rank, group=other),
    ):
        with pytest.raises(ValueError, match=f": expected a rank of the group; got {rank}, this process"):
            call()
    with pytest.warns(UserWarning, match="no member of the group; nothing is done"):
        dist.broadcast(value, (rank + 2) % 4, group=other)
    if rank % 2:
        dist.send(value, ranks[0], group=own)
    else:
        assert dist.recv(value, ranks[1], group=own) == ranks[1]
    mine, every = dist.new_subgroups(2)
    assert dist.get_process_group_ranks(mine) == ranks and len(every) == 2
    everyone = dist.new_group()
    work = [dist.all_reduce(one, group=group, async_op=True) for one, group in
            ((ones(3), own), (ones(100_000), everyone), (ones(2), None))]  # fmt: skip
    for one in reversed(work) if rank % 2 else work:  # groups do not wait for each other
        one.wait()
    assert [one.result()[0][0].item() for one in work] == [2, 4, 4]
    dist.destroy_process_group(own)
    with pytest.raises(ValueError, match="made and not destroyed"):
        dist.barrier(own)
    dist.barrier()


def test_groups_of_some_processes():
    run(4, check_groups, timeout=TIMEOUT)


def check_local_groups(rank):
    def local(ranks):
        return dist.new_group(ranks, use_local_synchronization=True)

    if rank == 2:  # not called by others
        assert local([0, 1]) is None
        dist.barrier()
        alone = local([2])
    else:
        pairs = [local([1, 0]) for _ in range(3)]
        if rank == 1:
            dist.all_reduce(ones(3), group=dist.new_group([1], use_local_synchronization=True))
        for number, pair in enumerate(pairs):
            value = tensor([10**rank * (number + 1)])
            dist.all_reduce(value, group=pair)
            assert value.item() == 11 * (number + 1) and dist.get_process_group_ranks(pair) == [0, 1]
        assert len({pair.group_name for pair in pairs}) == 3
        dist.barrier()
        alone = local([rank])
    every = dist.new_group(use_local_synchronization=True)
    value = tensor([10**rank])
    dist.all_reduce(value, group=every)
    assert value.item() == 111
    dist.all_reduce(value, group=alone)
    assert value.item() == 111
    with raises(dist.MismatchError, "all_reduce", f"collective 3 of group {every.group_name} differs"):
        dist.all_reduce(ones(3 + rank), group=every)


def test_groups_that_only_their_members_create():
    run(3, check_local_groups)


def check_missing_member(rank):
    if rank == 1:
        dist.new_group([0, 1], timeout=timedelta(seconds=30), use_local_synchronization=True)


def test_a_local_group_names_a_rank_that_has_ended():
    messages = errors(2, check_missing_member)
    assert "RankError: new_group: rank 0 has ended, without the call for the ranks (0, 1)" in messages[1]


def check_initialized_again(rank, address):
    for number in range(4):
        value = tensor([number])
        dist.all_reduce(value)
        assert value.item() == 2 * number
        dist.destroy_process_group()
        dist.init_process_group("gloo", address.format(number), rank=rank, world_size=2)


@pytest.mark.parametrize("kind", ["file", "tcp"])
def test_a_group_is_initialized_again(tmp_path, kind):
    address = f"file://{tmp_path}/again-{{}}" if kind == "file" else f"tcp://localhost:{free_port()}"
    options = {"timeout": TIMEOUT} if kind == "file" else {"address": address}  # ranks of their own
    run(2, check_initialized_again, address, **options)


def check_former_store(rank, port):
    """Check that rank 1 waits for the new store if it has just found the former one."""
    dist.destroy_process_group()
    if rank == 0:
        with socket.create_server(("127.0.0.1", port)) as former, former.accept()[0] as connection:
            connection.sendall(b"facula store 1\n")
    dist.init_process_group("gloo", f"tcp://localhost:{port}", rank=rank, world_size=2)


def test_a_store_that_is_being_closed_is_not_used():
    run(2, check_former_store, free_port(), timeout=TIMEOUT)


def start_with_other_version(rank, path):
    dist.destroy_process_group()
    if rank == 1:
        dist.__version__ = "9.9"
    dist.init_process_group("gloo", f"file://{path}", rank=rank, world_size=2)


def test_other_versions_are_refused(tmp_path):
    messages = errors(2, start_with_other_version, str(tmp_path / "group"))
    assert all("expected one version of facula-distributed on all ranks" in one for one in messages)


def _gather_and_end(rank, folder):
    dist.init_process_group("gloo", f"file://{folder}/group", rank=rank, world_size=2)
    for _ in range(4):
        found = [None, None]
        dist.all_gather_object(found, (rank, "x" * 50))
        assert found == [(0, "x" * 50), (1, "x" * 50)]
    dist.destroy_process_group()


def test_a_rank_may_end_while_others_read_its_memory(tmp_path):
    for _ in range(3):
        spawn(_gather_and_end, (tmp_path,), nprocs=2, start_method="fork")
