"""Ranks that are killed, stopped or put to sleep at random moments, under the launcher: each is named, and all end."""

import os
import random
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import pytest
from launcher import begin_program, is_running

PROGRAM = """
import os, signal, time
import facula_distributed as dist
from facula_tensor import ones, zeros

signal.signal(signal.SIGUSR2, lambda *_: time.sleep(600))
dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
pair = dist.new_group([0, 1])
print("begun", os.getpid(), os.environ["FACULA_JOB"], flush=True)
limit = time.monotonic() + 100  # if the test itself is killed
while time.monotonic() < limit:
    dist.all_reduce(ones(10))
    dist.all_reduce(ones(400_000))
    if rank < 2:
        dist.broadcast(ones(1000), 1, group=pair)
    dist.all_gather_object([None] * size, rank)
    dist.send(ones(100), (rank + 1) % size)
    dist.recv(zeros(100), (rank - 1) % size)
    dist.barrier()
"""
LIMIT = 120.0
REAL_STARTS = 10  # each tenth run is a new Python
BEGUN = re.compile(r"\[rank (\d)\] begun (\d+) (.*)")
AT_ONCE = 10  # runs
SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "stall": signal.SIGUSR2}
CALL = r"collective \d+( of group \d+)?, \w+(\(.*\))? at \S*program.py:\d+"
MESSAGE = r"the message from rank {0} that rank \d+ receives at \S*program.py:\d+"
WORDS = {
    "kill": rf"rank {{0}} was ended by SIGKILL, (after|in) its {CALL}",
    "stop": rf"rank {{0}} missed ({CALL}|{MESSAGE})",
    "stall": rf"rank {{0}} missed ({CALL}|{MESSAGE})",
}
DETAILS = {"kill": "", "stop": r"rank {0} \(pid \d+, stopped\)", "stall": r"in <lambda>"}


def one_fault(folder, seed):
    """Run a program with a fault; return what is wrong, or "", and the seconds from its detection to the end."""
    draw = random.Random(seed)
    size, kind = draw.randint(2, 4), draw.choice(list(SIGNALS))
    victim, delay = draw.randrange(size), draw.random() * 0.2
    options = ["--nproc", str(size), "--warn-after", "1", "--timeout", "4"]
    launcher = begin_program(folder, PROGRAM, options, [], is_warm=seed % REAL_STARTS > 0)
    about = f"seed {seed}: {kind} of rank {victim} of {size} after {delay:.3f} s"
    ranks, job = {}, ""
    try:
        for _ in range(size):
            begun = BEGUN.match(launcher.stdout.readline())
            if begun is None:
                return f"{about}: did not begin: {launcher.communicate(timeout=LIMIT)[1]}", 0.0
            ranks[int(begun[1])], job = int(begun[2]), begun[3]
        time.sleep(delay)
        os.kill(ranks[victim], SIGNALS[kind])
        errors = launcher.communicate(timeout=LIMIT)[1]
    except subprocess.TimeoutExpired:
        return f"{about}: hangs", 0.0
    finally:
        left = [pid for pid in [launcher.pid, *ranks.values()] if is_running(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    with open("/proc/net/unix") as file:
        sockets = [line for line in file if job in line]
    ended = re.search(r"all ranks ended ([\d.]+) s after this was detected", errors)
    named = [re.search(words[kind].format(victim), errors) for words in (WORDS, DETAILS)]
    if left or sockets or not ended or not all(named):
        return f"{about}: processes {left}, sockets {sockets}: {errors}", 0.0
    return "", float(ended[1])


MORE = [pytest.param(first, 50, marks=pytest.mark.thorough) for first in range(0, 400, 50)]


@pytest.mark.parametrize(("first", "count"), [(6, 5), *MORE])
def test_a_rank_with_a_fault_is_named_and_all_end(tmp_path, first, count):
    (tmp_path / "program.py").write_text(PROGRAM)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda seed: one_fault(tmp_path, seed), range(first, first + count)))
    wrong = [text for text, _ in found if text]
    seconds = [time for text, time in found if not text]
    print(f"{count} faults: from detection to the end of all ranks: median {median(seconds)} s, most {max(seconds)} s")
    assert not wrong, "\n".join(wrong)
