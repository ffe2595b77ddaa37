"""The launcher: output, exit codes, and runs in which a rank fails, ends or is late."""

import os
import re
import signal
import time

import pytest
from launcher import LIMIT, begin_program, children_of, end, is_running

PROGRAM = """
import os, signal, sys, time
import facula_distributed as dist
from facula_tensor import zeros

dist.init_process_group()
kind, rank = sys.argv[1], dist.get_rank()


def read_batch():
    time.sleep(600)


def train():
    for step in range(20):
        if step == 10 and rank == 1:
            if kind == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            if kind == "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            if kind == "stall":
                read_batch()
            if kind == "raise":
                raise ValueError("a bad sample")
            if kind == "exit":
                os._exit(7)
            if kind == "order":
                dist.barrier()
            if kind == "uneven":
                return
            if kind == "receive":
                dist.recv(zeros(1), 0)
            if kind == "slow":
                with dist.expect_slow("evaluation"):
                    read_batch()
        dist.all_reduce(zeros(1000))


print("begun", flush=True)
if kind == "again":
    dist.destroy_process_group()
    dist.init_process_group()
if kind in ("wait", "stopped"):
    read_batch()
if kind == "C code":
    import ctypes; ctypes.PyDLL(None).sleep(600)
if kind == "handler":
    if rank == 1:
        def handle(*_):
            open("handled", "w").close()
            read_batch()
        signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        dist.recv(zeros(1), 0)
    while not os.path.exists("handled"):
        time.sleep(0.01)
    dist.send(zeros(1), 1)
train()
print("ended", rank)
"""
REDUCED = r"all_reduce\(float32, shape \(1000,\), SUM\) at \S*program.py:36"


def begin(tmp_path, *arguments, **options):
    return begin_program(tmp_path, PROGRAM, arguments[:-1], arguments[-1:], **options)


def run(tmp_path, *arguments, **options):
    return end(begin(tmp_path, *arguments, **options))


def test_log_folders_that_cannot_be_made(tmp_path):
    code, _output, errors = run(tmp_path, "--nproc", "2", "--log-dir", "/proc/none", "again")
    assert code == 1
    assert re.fullmatch(r"\[facula run\] expected --log-dir to be a folder for files; got '/proc/none' .*\n", errors)


def test_lines_carry_the_rank_and_are_logged(tmp_path):
    """Check a program that initializes its group twice."""
    code, output, errors = run(tmp_path, "--nproc", "2", "--log-dir", str(tmp_path / "logs"), "again", is_warm=False)
    assert (code, errors) == (0, "")
    assert sorted(output.splitlines()) == [
        "[rank 0] begun", "[rank 0] ended 0", "[rank 1] begun", "[rank 1] ended 1"]  # fmt: skip
    assert (tmp_path / "logs" / "rank-1.stdout").read_text() == "begun\nended 1\n"


FAILURES = {
    "kill": (137, rf"rank 1 was ended by SIGKILL, after its collective 11, {REDUCED}"),
    "raise": (1, r"rank 1 failed at program.py:24: ValueError: a bad sample"),
    "exit": (7, rf"rank 1 ended with exit code 7, after its collective 11, {REDUCED}"),
    "order": (1, rf"MismatchError: .* differs: rank 0 calls {REDUCED}; rank 1 calls barrier at \S*program.py:28;"),
    "uneven": (1, rf"\] rank 1 has ended, after its collective 11, {REDUCED}, and misses collective 12, {REDUCED}"),
}  # fmt: skip
LATE = {
    "stop": rf"rank 1 \(pid \d+, stopped\) has not called it; its last was 11, {REDUCED}; it is at",
    "stall": r'it is at\n\[facula run\]     File "\S*program.py", line 11 in read_batch',
    "slow": r"since \d\.\d s\n\[facula run\]   rank 1 said that it would be slow: evaluation\n\[facula run\] coll",
    "handler": r"(?s)\A(?!.*has not sent it).* in handle\n.*rank 1 missed collective 2, all_reduce",
    "receive": rf"rank 1 \(pid \d+, \w+\) has not called it; its last was 11, {REDUCED}",
}


@pytest.fixture(scope="module", autouse=True)
def late_runs(tmp_path_factory):
    """Begin several runs. Their timeout must be longer than the start of a rank on a busy machine."""
    folder, options = tmp_path_factory.mktemp("late"), ["--nproc", "2", "--warn-after", "1", "--timeout", "4"]
    begun = {kind: begin(folder, *options, kind) for kind in LATE}
    yield begun
    for process in begun.values():
        if process.poll() is None:
            end(process)


@pytest.mark.parametrize("kind", FAILURES)
def test_the_rank_that_fails_is_named_and_all_end(tmp_path, kind):
    code, words = FAILURES[kind]
    found, _, errors = run(tmp_path, "--nproc", "2", kind)
    assert found == code and re.search(words, errors), errors
    check_end(errors)


def check_end(errors):
    assert "all ranks ended" in errors
    assert "runpy" not in errors.replace("<frozen runpy>", "") and "_launch" not in errors


def test_ranks_that_are_late_are_named_and_all_end(late_runs):
    for kind, process in late_runs.items():
        code, _, errors = end(process)
        assert code == 1 and re.search(LATE[kind], errors), errors
        check_end(errors)
    assert re.search(r"the message from rank 0 that rank 1 receives at \S*program.py:32: 1 of 2 ranks wait", errors)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_reach_all_ranks(tmp_path, number):
    process = begin(tmp_path, "--nproc", "2", "wait")
    for _ in range(2):
        assert "begun" in process.stdout.readline()
    os.kill(process.pid, number)
    assert end(process)[0] == 128 + number


@pytest.mark.parametrize("kind", ["wait", "C code", "stopped"])
def test_ranks_end_with_a_launcher_that_is_killed(tmp_path, kind):
    """Check ranks that sleep, that are in C code which keeps the GIL, and that are stopped."""
    process = begin(tmp_path, "--nproc", "2", kind)
    for _ in range(2):
        assert "begun" in process.stdout.readline()
    ranks = children_of(process.pid)
    assert len(ranks) == 2
    if kind == "stopped":
        for pid in ranks:
            os.kill(pid, signal.SIGSTOP)
    process.kill()
    limit = time.monotonic() + LIMIT
    while any(map(is_running, ranks)) and time.monotonic() < limit:
        time.sleep(0.02)
    assert not any(map(is_running, ranks))
    _, errors = process.communicate()
    assert sorted(errors.splitlines()) == [
        f"[facula run] rank {rank}: the launcher has ended; this process ends" for rank in (0, 1)
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--nproc", "0", "none"], "expected a number above 0; got '0'"),
     (["--nproc", "2", "--timeout", "x", "none"], "expected a number above 0; got 'x'"),
     (["--max-restarts", "-1", "none"], "expected a whole number from 0 on; got '-1'"),
     (["--one-process", "--max-restarts", "1", "none"], "expected --one-process or --max-restarts; got both")],
)  # fmt: skip
def test_invalid_options_are_refused(tmp_path, arguments, words):
    code, _, errors = run(tmp_path, *arguments)
    assert code == 2 and words in errors
