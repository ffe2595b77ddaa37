"""Runs on machines of a Ray cluster: two actors with a launcher each, killed launchers and actors, refused options."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from launcher import run_program
from ray_cluster import needs_ray, variables

LIMIT = 150.0
PROGRAM = """
import os, sys, time
import facula_distributed as dist
from facula_tensor import Generator, full, rand, zeros

class Model:
    def __init__(self):
        self.weight, self.noise = zeros(4), Generator().manual_seed(int(os.environ["RANK"]))

    def state_dict(self):
        return {"weight": self.weight, "noise": self.noise.get_state()}

    def load_state_dict(self, state):
        self.weight = state["weight"]
        self.noise.set_state(state["noise"])

dist.init_process_group()
model = Model()
state = dist.resumable(model=model)
print("begins at", state.step, flush=True)
for step in range(state.step, int(sys.argv[1])):
    gradient = rand(4, generator=model.noise)
    dist.all_reduce(gradient)
    model.weight = model.weight * 0.9 + gradient
    state.save(step)
    time.sleep(float(sys.argv[2]))
print("ends with", model.weight.tolist(), flush=True)
dist.destroy_process_group()
"""


def begin(folder, *arguments):
    program = folder / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "facula_distributed", "--ray", "--nnodes", "2", "--nproc", "1", *arguments]
    return subprocess.Popen(
        command, env={**os.environ, **variables()}, cwd=folder, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process):
    try:
        output, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        raise AssertionError(f"the run hangs\n{output}\n{errors}") from None
    return process.returncode, output, errors


def launchers(node):
    """Return the process ids of launchers of a node, and of the actors that started them."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline") as file:
                arguments = file.read().split("\0")
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if "facula_distributed" in arguments and "--node-rank" in arguments:
            if arguments[arguments.index("--node-rank") + 1] == str(node) and "program.py" in arguments:
                found.append((int(name), parent))
    return found


def ends(output):
    return sorted(line.partition("] ")[2] for line in output.splitlines() if "ends with" in line)


@needs_ray
def test_a_killed_launcher_and_a_killed_actor(tmp_path):
    pytest.importorskip("mpi4py")
    code, expected, errors = finish(begin(tmp_path, "program.py", "80", "0.01"))
    assert code == 0 and len(ends(expected)) == 2, errors
    process = begin(tmp_path, "--max-restarts", "2", "program.py", "80", "0.2")
    for _ in range(2):
        assert "begins at 0" in process.stdout.readline()
    time.sleep(3.0)
    ((launcher, actor),) = launchers(1)
    os.kill(launcher, signal.SIGKILL)
    resumed = {process.stdout.readline().partition("] ")[2] for _ in range(2)}
    assert len(resumed) == 1 and re.match(r"begins at [1-9]", resumed.pop())
    ((_, actor),) = launchers(1)
    time.sleep(4.0)  # in which the state is copied
    os.kill(actor, signal.SIGKILL)  # its memory is lost, too
    code, found, errors = finish(process)
    assert code == 0 and "begins at 0" not in found, errors
    assert ends(found) == ends(expected)
    assert "node 1 was lost: its launcher was ended by SIGKILL" in errors
    assert "node 1 was lost: its Ray actor has ended" in errors
    assert re.search(r"node 0\] restart 1: all ranks go on after step [1-9]", errors)
    assert re.search(r"node 0\] restart 2: all ranks go on after step [1-9]", errors)


def test_without_ray(tmp_path):
    (tmp_path / "ray.py").write_text("raise ModuleNotFoundError('No module named ray', name='ray')")
    for more, words in (
        ([], "the package ray is missing; install it: pip install ray"),
        (["--node-rank", "1"], "expected --ray or --node-rank; got both"),
        (["--one-process"], "expected --ray or --one-process; got both"),
    ):
        code, _, errors = run_program(tmp_path, "", ["--ray", *more], [])
        assert code == 2 and words in errors
