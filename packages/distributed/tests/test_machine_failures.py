"""Runs on two machines, of which launchers on one machine pretend to be: each names what failed, and where."""

import os
import random
import re
import signal
import socket
import time

import pytest
from launcher import LIMIT, begin_program, children_of, end, free_port, is_running

from facula_tensor import manual_seed, rand, zeros

PROGRAM = """
import os, signal, sys, time
import facula_distributed as dist
from facula_tensor import ones, zeros

dist.init_process_group()
kind, rank = sys.argv[1], dist.get_rank()


def read_batch():
    time.sleep(600)


def train():
    for step in range(20):
        if step == 10 and rank == 1:
            if kind == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if kind == "raise":
                raise ValueError("a bad sample")
            if kind == "uneven":
                return
            if kind == "stall":
                read_batch()
        dist.all_reduce(zeros(1000))


value = ones(2) * rank
dist.all_reduce(value)
names = "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "FACULA_NNODES"
print("begun", value.tolist(), *[os.environ[name] for name in names], flush=True)
if kind == "wait":
    read_batch()
train()
"""
REDUCED = r"all_reduce\(float32, shape \(1000,\), SUM\) at \S*program.py:25"
NAME = rf"node 1 \({re.escape(socket.gethostname())}\)"


@pytest.fixture(autouse=True, scope="module")
def _needs_mpi():
    pytest.importorskip("mpi4py")


def begin(folder, text, options, arguments):
    """Start the launchers of two machines."""
    common = ["--nproc", "1", "--nnodes", "2", "--master", f"127.0.0.1:{free_port()}", *options]
    return [begin_launcher(folder, text, [*common, "--node-rank", str(node)], arguments) for node in (0, 1)]


def begin_launcher(folder, text, options, arguments, **variables):
    return begin_program(folder, text, options, arguments, env={**os.environ, "FACULA_JOB_TOKEN": "x", **variables})


def wait_for(stream, word):
    """Read lines up to one with a word."""
    found = []
    while word not in (line := stream.readline()):
        assert line, found
        found.append(line)
    return "".join([*found, line])


FAILURES = {
    "kill": (137, rf"{NAME}: rank 1 was ended by SIGKILL, after its collective 12, {REDUCED}"),
    "raise": (1, rf"{NAME}: rank 1 failed at program.py:20: ValueError: a bad sample"),
    "uneven": (1, rf"{NAME}: rank 1 has ended, after its collective 12, {REDUCED}, and misses collective 13"),
}  # fmt: skip


def test_all_launchers_name_the_rank_that_fails(tmp_path):
    begun = {kind: begin(tmp_path, PROGRAM, [], [kind]) for kind in FAILURES}
    for kind, (code, words) in FAILURES.items():
        for node, process in enumerate(begun[kind]):
            found, output, errors = end(process)
            assert found == code and re.search(rf"\[facula run, node {node}\] {words}", errors), errors
            assert f"[rank {node}] begun [1.0, 1.0] 0 2 1 {node} 2\n" in output and "all ranks ended" in errors


def test_a_late_rank_is_named_and_a_signal_to_one_launcher_ends_all(tmp_path):
    first, second = begin(tmp_path, PROGRAM, ["--warn-after", "1"], ["stall"])
    errors = wait_for(first.stderr, "in train")
    late = rf"rank 1 \(node 1, {re.escape(socket.gethostname())}, pid \d+, \w+\)"
    report = (
        rf"{REDUCED}: 1 of 2 ranks wait since .*\n.* {late} has not called it; its last was 12, {REDUCED}; it is at"
    )
    assert re.search(report + r'\n.*File "\S*program.py", line 11 in read_batch\n.* line 24 in train', errors), errors
    os.kill(second.pid, signal.SIGTERM)
    assert [end(process)[0] for process in (first, second)] == [143, 143]


@pytest.fixture(scope="module", autouse=True)
def slow_runs(tmp_path_factory, _needs_mpi):
    """Begin runs that take some seconds: one that is refused, and three whose launchers are killed or stopped."""
    folder, common = tmp_path_factory.mktemp("slow"), ["--nnodes", "2", "--master", f"127.0.0.1:{free_port()}"]
    runs = [
        [begin_launcher(folder, PROGRAM, ["--nproc", nproc, "--node-rank", node, *common], ["none"])
         for node, nproc in (("0", "1"), ("1", "3"))],
        *[begin(folder, PROGRAM, ["--lost-after", "3"], ["wait"]) for _ in range(3)],
    ]  # fmt: skip
    for run in runs[1:]:
        for process in run:
            wait_for(process.stdout, "begun")
    for process, number in ((runs[1][0], signal.SIGKILL), (runs[2][1], signal.SIGKILL), (runs[3][1], signal.SIGSTOP)):
        (rank,) = children_of(process.pid)
        os.kill(process.pid, number)
        if number == signal.SIGKILL:
            process.communicate(timeout=LIMIT)
            wait_until_ended(rank)
    yield runs
    for process in [process for run in runs for process in run if process.poll() is None]:
        os.kill(process.pid, signal.SIGCONT)
        end(process)


def test_launchers_that_are_killed_or_stopped_are_named_by_the_others(slow_runs):
    runs = slow_runs[1:]
    words = ["node 0 (...): its launcher has ended", "node 1 (...): its launcher has ended"]
    words.append("node 1 (...): its launcher did not answer for 3 s")
    for process, text in zip((runs[0][1], runs[1][0], runs[2][0]), words, strict=True):
        code, _, errors = end(process)
        assert code == 1 and re.search(re.escape(text).replace(r"\.\.\.", ".*"), errors), errors
    os.kill(runs[2][1].pid, signal.SIGCONT)  # it finds that the run has ended
    code, _, errors = end(runs[2][1])
    assert code == 1 and "node 0" in errors and "its launcher has ended" in errors


def wait_until_ended(pid):
    limit = time.monotonic() + LIMIT
    while is_running(pid) and time.monotonic() < limit:
        time.sleep(0.02)
    assert not is_running(pid)


REPEATED = """
import facula_distributed as dist
from facula_tensor import zeros

dist.init_process_group()
print("begun", flush=True)
while True:
    dist.all_reduce(zeros(1000))
"""


@pytest.mark.thorough
def test_random_ends_of_ranks_and_launchers(tmp_path):
    """Check 100 runs, in each of which a rank or a launcher is ended at a random time."""
    draw = random.Random(0)
    for _ in range(100):
        run = begin(tmp_path, REPEATED, [], [])
        kind, node = draw.choice(("rank", "launcher", "signal")), draw.randrange(2)
        wait_for(run[1].stdout, "begun")
        ranks = [pid for process in run for pid in children_of(process.pid)]
        time.sleep(draw.random() / 5)
        number = signal.SIGTERM if kind == "signal" else signal.SIGKILL
        os.kill(ranks[node] if kind == "rank" else run[node].pid, number)
        if kind == "launcher":
            run[node].wait()
            wait_until_ended(ranks[node])
        found = [end(process) for process in run]
        for pid in ranks:
            wait_until_ended(pid)
        codes = [code for code, *_ in found]
        if kind == "launcher":
            assert codes[node] == -signal.SIGKILL and codes[1 - node] == 1
            assert f"node {node} (" in found[1 - node][2] and "its launcher has ended" in found[1 - node][2]
        else:
            assert codes == [128 + number] * 2
            assert kind == "signal" or all(f"rank {node} was ended by SIGKILL" in errors for *_, errors in found)


RESUMED = """
import os, signal
import facula_distributed as dist
from facula_tensor import manual_seed, rand, zeros

dist.init_process_group()
manual_seed(0)


class Total:
    def __init__(self):
        self.value = zeros(3)

    def state_dict(self):
        return {"value": self.value}

    def load_state_dict(self, state):
        self.value = state["value"].clone()


total, rank = Total(), dist.get_rank()
state = dist.resumable(every=1, total=total)
print("from", state.step, flush=True)
for step in range(state.step, 6):
    if step == 4 and rank == 1 and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
        os.kill(os.getpid(), signal.SIGKILL)
    values = rand(3) * (rank + 1)
    dist.all_reduce(values)
    total.value += values
    state.save(step)
print("total", total.value.tolist())
"""


def test_all_ranks_go_on_after_a_failure_on_one_machine(tmp_path):
    manual_seed(0)
    total = zeros(3)
    for _ in range(6):
        values = rand(3)
        total += values + values * 2
    for rank, process in enumerate(begin(tmp_path, RESUMED, ["--max-restarts", "1"], [])):
        code, output, errors = end(process)
        assert code == 0, errors
        assert output == f"[rank {rank}] from 0\n[rank {rank}] from 4\n[rank {rank}] total {total.tolist()}\n"


def is_free(port):
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) != 0


def test_slurm_starts_ranks_without_options(tmp_path):
    job = next(job for job in range(os.getpid(), 10**7) if is_free(20_000 + job % 12_000))
    variables = {
        **os.environ, "SLURM_JOB_ID": str(job), "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_NODES": "2",
        "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_NODELIST": "localhost,other[2-3]",
    }  # fmt: skip
    run = [
        begin_program(tmp_path, PROGRAM, ["--nproc", "2"], ["none"], env={**variables, "SLURM_NODEID": str(node)})
        for node in (0, 1)
    ]
    for node, process in enumerate(run):
        code, output, errors = end(process)
        assert code == 0, errors
        assert sorted(output.splitlines()) == [
            f"[rank {2 * node + local}] begun [6.0, 6.0] {local} 4 2 {node} 2" for local in (0, 1)
        ]


def test_launchers_that_do_not_fit_end_before_ranks_start(slow_runs):
    for code, output, errors in map(end, slow_runs[0]):
        assert code == 1 and "expected the same --nproc on all machines; got 1 on node 0" in errors and not output
