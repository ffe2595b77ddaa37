"""Ranks in one process, in turns: the same results as in several, one order of events, errors, and a debugger."""

import os
import random
import subprocess

import pytest
from launcher import begin_program, end

import facula_distributed as dist
from facula_distributed._launch.one_process import run_in_turns
from facula_distributed.testing import run
from facula_tensor import manual_seed, ones, rand, zeros


def train(rank):
    """Use each kind of wait: collectives, in the background, in groups, messages, and keys."""
    manual_seed(rank)
    random.seed(rank)
    size, found = dist.get_world_size(), []
    pair = dist.new_group([0, 1])
    for step in range(3):
        values = rand(50_000) + random.random()  # several meetings in a call
        dist.all_reduce(values)
        work = dist.all_reduce(values, dist.ReduceOp.MAX, async_op=True)
        assert work.wait()
        if rank < 2:
            dist.all_reduce(values, group=pair)
        dist.send(values[:5].clone(), (rank + 1) % size, tag=step)
        dist.recv(received := zeros(5), (rank - 1) % size, tag=step)
        objects = [None] * size
        dist.all_gather_object(objects, (rank, received.tolist()))
        found.append((values.sum().item(), objects, rand(1).item(), random.random()))
    return found


def test_results_are_those_of_several_processes(capsys):
    found, events = {}, []

    def program():
        rank = int(os.environ["RANK"])
        events.append(("begin", rank))
        dist.init_process_group()
        store = dist.group.WORLD.get_group_store()
        if rank == 2:
            store.set("key", "value")
        assert store.get("key") == b"value"
        found[rank] = train(rank)
        dist.barrier()
        events.append(("end", rank))
        print("ended\nthe program")
        dist.destroy_process_group()
        dist.init_process_group()  # again
        dist.all_reduce(ones(1))
        assert int(os.environ["RANK"]) == dist.get_rank() == rank

    state = random.getstate()
    assert run_in_turns(3, program) == 0
    random.setstate(state)
    assert [found[rank] for rank in range(3)] == run(3, train)
    assert events[:3] == [("begin", rank) for rank in range(3)] and len(events) == 6
    assert "[rank 1] ended\n[rank 1] the program\n" in capsys.readouterr().out
    assert not dist.is_initialized()


PROGRAM = """
import sys
import facula_distributed as dist
from facula_tensor import zeros

dist.init_process_group()
kind, rank = sys.argv[1], dist.get_rank()
if rank == 1:
    if kind == "raise":
        raise ValueError("a bad sample")
    if kind == "end":
        sys.exit(0)
    if kind == "exit":
        sys.exit(7)
    if kind == "stall":
        dist.recv(zeros(1), 0)
    if kind == "debug":
        breakpoint()
dist.barrier()
print("passed")
"""


@pytest.mark.parametrize(
    ("kind", "code", "text"),
    [
        ("raise", 1, "ValueError: a bad sample\n[rank 1] [facula run] rank 1 failed, so the run ends"),
        ("end", 1, "barrier: rank 1 has ended, "),
        ("exit", 7, "rank 1 failed"),
        ("stall", 1, "no rank can continue: rank 0 waits in collective 2, barrier at "),
        ("debug", 0, "(Pdb) rank is 1"),
    ],
)
def test_failures_and_debuggers(tmp_path, kind, code, text):
    begun = begin_program(tmp_path, PROGRAM, ["--nproc", "2", "--one-process"], [kind], stdin=subprocess.PIPE)
    found, output, errors = end(begun, given="print('rank is', rank)\ncontinue\n")
    assert found == code and text in output + errors, output + errors
    assert "runpy" not in errors
    assert (output.count("passed") == 2) == (code == 0)
