"""Restarts: ranks that are killed continue at the step after the one whose state was kept, with the same results."""

import hashlib
import random
import re

import pytest
from launcher import run_program

from facula_distributed import resumable
from facula_distributed._board.slots import Entry, Slots
from facula_distributed._resumable import interval

PROGRAM = """
import hashlib, os, random, signal, sys, time
import facula_distributed as dist
from facula_tensor import Generator, no_grad, rand, randn, tensor, zeros

steps, every, kills = int(sys.argv[1]), int(sys.argv[2]), eval(sys.argv[3])
dist.init_process_group()
rank, attempt = dist.get_rank(), int(os.environ["TORCHELASTIC_RESTART_COUNT"])


class Training:
    '''Weights and momenta; the first step adds the momenta.'''

    def __init__(self):
        self.weights, self.momenta, self.batches = randn(50, 20), None, iter(())

    def state_dict(self):
        return {"weights": self.weights, "momenta": self.momenta}

    def load_state_dict(self, state):
        self.weights, self.momenta = state["weights"], state["momenta"]

    def step(self):
        gradient = self.weights * rand(50, 20) + random.random()
        dist.all_reduce(gradient, dist.ReduceOp.AVG)
        self.momenta = gradient if self.momenta is None else self.momenta * 0.9 + gradient
        self.weights = self.weights - self.momenta * 0.01


training, noise = Training(), Generator().manual_seed(rank)
random.seed(rank)
state = dist.resumable(training=training, noise=noise, every=every)
assert state.is_resumed == (state.step > 0)
if state.is_resumed:
    print("resumed at", state.step)


def die(step, place):
    if attempt < len(kills) and kills[attempt] == (step, rank, place):
        print("dies at", repr(time.monotonic()))
        sys.stdout.flush()
        if place == "raise":
            raise ValueError("a bad sample")
        os.kill(os.getpid(), signal.SIGKILL)


first = True
for step in range(state.step, steps):
    die(step, "before")
    die(step, "raise")
    training.step()
    training.weights += randn(50, 20, generator=noise).mean()
    die(step, "after")
    state.save(step)
    if first and attempt:
        print("goes on at", repr(time.monotonic()))
    first = False
values = [*training.weights.flatten().tolist(), *training.momenta.flatten().tolist(), random.random()]
print("result", hashlib.sha256(repr(values).encode()).hexdigest())
"""


def results(output):
    """Return what each rank found."""
    found = dict(re.findall(r"\[rank (\d)\] result (\w+)", output))
    assert sorted(found) == ["0", "1"]
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    code, output, errors = run_program(
        tmp_path_factory.mktemp("undisturbed"), PROGRAM, ["--nproc", "2"], ["30", "1", "[]"]
    )
    assert code == 0, errors
    return results(output)


def test_results_after_kills_are_those_of_an_undisturbed_run(tmp_path, undisturbed):
    """Check two ranks that are killed, and one that raises; more failures than restarts, but with progress."""
    kills = [(4, 1, "before"), (11, 0, "after"), (12, 1, "raise")]
    code, output, errors = run_program(
        tmp_path, PROGRAM, ["--nproc", "2", "--max-restarts", "1"], ["30", "1", repr(kills)]
    )
    assert code == 0, errors
    assert [int(step) for step in re.findall(r"\[rank 0\] resumed at (\d+)", output)] == [4, 11, 12]
    assert results(output) == undisturbed
    assert "rank 1 was ended by SIGKILL, after its collective " in errors
    assert re.search(r"rank 1 failed at program.py:\d+: ValueError: a bad sample", errors)
    assert "restart 3: all ranks go on after step 11, whose state they kept" in errors


def test_steps_are_repeated_if_the_state_is_kept_less_often(tmp_path, undisturbed):
    code, output, errors = run_program(
        tmp_path, PROGRAM, ["--nproc", "2", "--max-restarts", "2"],
        ["30", "10", repr([(5, 0, "after"), (18, 1, "after")])],
    )  # fmt: skip
    assert code == 0, errors
    assert "restart 1: all ranks go on from the beginning" in errors
    assert re.findall(r"\[rank 1\] resumed at (\d+)", output) == ["10"]
    assert results(output) == undisturbed


def test_failures_without_progress_end_the_run(tmp_path):
    code, output, errors = run_program(
        tmp_path, PROGRAM, ["--nproc", "2", "--max-restarts", "2"], ["30", "1", repr([(3, 1, "raise")] * 5)]
    )
    assert code == 1
    assert errors.count("[facula run] rank 1 failed at") == 3 and "it failed 3 times without progress" in errors
    assert re.findall(r"\[rank 0\] resumed at (\d+)", output) == ["3", "3"]


CHECKPOINTED = """
import os, signal, sys, time
import facula_distributed as dist
from facula_distributed import checkpoint
from facula_tensor import manual_seed, rand, zeros

dist.init_process_group()
state = {"values": zeros(4), "step": 0}
if os.path.exists(sys.argv[1]):
    checkpoint.load(state, checkpoint_id=sys.argv[1])
    print("loaded", state["step"])
for step in range(state["step"], 12):
    manual_seed(2 * step + dist.get_rank())
    change = rand(4)
    dist.all_reduce(change)
    state["values"] += change
    state["step"] = step + 1
    checkpoint.save(state, checkpoint_id=sys.argv[1])
    if sys.argv[2] == "kill" and step == 6:
        if dist.get_rank() == 0:
            os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)
print("result", state["values"].sum().item().hex())
"""


def test_a_run_whose_launcher_is_killed_continues_from_its_checkpoint(tmp_path):
    found = []
    for folder, kill in (("one", "kill"), ("one", "no"), ("two", "no")):
        code, output, errors = run_program(tmp_path, CHECKPOINTED, ["--nproc", "2"], [folder, kill])
        assert code == (-9 if kill == "kill" else 0), errors
        found.append(sorted(re.findall(r"\[rank \d\] (.*)", output)))
    assert found[1][:2] == ["loaded 7"] * 2 and found[1][2:] == found[2] and len(set(found[2])) == 1


@pytest.mark.thorough
def test_two_hundred_random_kills(tmp_path):
    """Check 200 kills at random steps and places."""
    steps, draw = 2000, random.Random(0)
    kills = [
        (step, draw.randrange(2), draw.choice(["before", "after"])) for step in sorted(draw.sample(range(steps), 200))
    ]
    found = []
    for chosen in ([], kills):
        (folder := tmp_path / str(len(chosen))).mkdir()
        code, output, errors = run_program(
            folder, PROGRAM, ["--nproc", "2", "--max-restarts", "3"], [str(steps), "1", repr(chosen)], limit=1500
        )
        assert code == 0, errors
        found.append(results(output))
    assert found[0] == found[1] and len(re.findall(r"\[rank 0\] goes on", output)) == 200


def common(slots):
    """Find the last step that both ranks have kept, and forget the others, as the launcher does."""
    step = max(slots.common_steps((0, 1)), default=None)
    slots.keep(step)
    return step


def test_a_slot_that_is_incomplete_is_not_used():
    slots = Slots.create(2)
    parts = [b"", b"first", bytes(100_000)]
    assert common(slots) is None
    for rank in (0, 1):
        slots.write(rank, 7, parts)
    assert common(slots) == 7
    slots.write(0, 8, [b"second"])  # and rank 1 is killed amid its copy
    slots._set(1, 1, Entry(2, 1, 8, 6))
    assert common(slots) == 7
    assert [[bytes(part) for part in slots.read(rank)] for rank in (0, 1)] == [parts, parts]
    for rank in (0, 1):
        slots.write(rank, 8, [hashlib.sha256().digest() * 10_000])
    assert common(slots) == 8 and len(slots.read(1)[0]) == 320_000
    slots.close()


def test_a_slot_is_copied_and_restored():
    slots, other = Slots.create(2), Slots.create(2)
    for rank in (0, 1):
        slots.write(rank, 7, [b"state", bytes([rank]) * 5000])
        slots.write(rank, 8, [b"next"])
    assert slots.copy(0, 6) is None
    for rank in (0, 1):
        other.write(rank, 9, [b"later"])
        other.restore(rank, 7, slots.copy(rank, 7))
    assert common(other) == 7
    assert [bytes(part) for part in other.read(1)] == [b"state", bytes([1]) * 5000]
    for rank in (0, 1):
        other.write(rank, 10, [b"goes on"])
    assert common(other) == 10
    slots.close()
    other.close()


def test_equal_parts_are_kept_once_per_machine():
    slots, other = Slots.create(2), Slots.create(2)
    equal, own = hashlib.sha256().digest() * 10_000, [bytes([rank]) * 5000 for rank in (0, 1)]
    for step in (7, 8, 9):
        for rank in (0, 1):
            slots.write(rank, step, [own[rank], equal, b"", own[rank][: 100 * step]], first=0 if rank else None)
    assert slots.entry(0, 0).nbytes > 320_000 and slots.entry(1, 0).nbytes < 10_000
    for rank in (0, 1):
        other.restore(rank, 8, slots.copy(rank, 8))
    for found, step in ((slots, 9), (other, 8)):
        for rank in (0, 1):
            assert [bytes(part) for part in found.read(rank)] == [own[rank], equal, b"", own[rank][: 100 * step]]
    slots.write(0, 10, [equal])  # and rank 1 has not
    assert common(slots) == 9 and bytes(slots.read(1)[1]) == equal
    slots.close()
    other.close()


@pytest.mark.parametrize(
    ("copy", "step", "steps"), [(1.0, 0.0, 1), (1e-4, 1.0, 1), (0.1, 0.5, 20), (1e9, 1e-3, 100_000)]
)
def test_copies_take_one_percent_of_the_time(copy, step, steps):
    assert interval(copy, step) == steps
    assert interval(copy, step, 10.0) == (1 if not step else max(steps, round(10.0 / step)))


def test_invalid_arguments_are_refused():
    with pytest.raises(ValueError, match="expected every to be at least 1; got 0"):
        resumable(every=0)
    with pytest.raises(TypeError, match=r"expected model to have state_dict and load_state_dict, .* got int"):
        resumable(model=3)
    state = resumable()
    assert (state.step, state.is_resumed) == (0, False)
    with pytest.raises(ValueError, match="expected step to be at least 0; got -1"):
        state.save(-1)
