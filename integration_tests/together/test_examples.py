"""The programs in examples/, which contain `import torch`, run unmodified and train as with PyTorch."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest

facula = pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)

TOLERANCES = {"float32": 1e-4, "float64": 1e-8}
NAMES = ("actor_critic", "dcgan", "gcn", "gpt", "lstm", "resnet", "vit")
# Steps to compare: batch norm of few numbers amplifies rounding errors a hundredfold in a few steps.
STEPS = {"resnet float32": 2}


def run(root, path, *arguments, cwd=None):
    """Return a program's output under `python -m facula run`, with every second call of a capture checked."""
    command = [sys.executable, "-m", "facula", "run", str(root / path), *arguments]
    env = {**os.environ, "FACULA_CAPTURE_CHECK": "2"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=cwd)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def expected(root):
    """Return PyTorch's losses, by program and dtype."""
    return json.loads((root / "integration_tests" / "reference" / "programs.json").read_text())["answers"]


@pytest.fixture(scope="module")
def losses(root):
    """Return facula's losses, by program and dtype."""
    return json.loads(run(root, "integration_tests/reference/programs.py"))


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("name", NAMES)
def test_a_program_trains_alike(losses, expected, name, dtype):
    """Check that the same weights, batches, noise and moves give the same loss at each step."""
    key = f"{name} {dtype}"
    assert losses.keys() == expected.keys() and len(expected[key]) >= 20
    count = STEPS.get(key, 20)
    known = pytest.approx(expected[key][:count], rel=TOLERANCES[dtype], abs=TOLERANCES[dtype])
    assert losses[key][:count] == known


@pytest.mark.parametrize("name", NAMES)
def test_a_program_reads_its_command_line_and_prints_how_it_goes(root, expected, name):
    printed = run(root, f"examples/{name}.py", "--steps", "2", "--size", "16", "--dtype", "float64", "--seed", "0")
    first, last = (line for line in printed.splitlines() if line.startswith("step"))
    assert first.startswith("step    0") and last.startswith("step    1")
    assert f"{expected[f'{name} float64'][0]:.4f}" in first


WEIGHTS = ["--weights", "file.pth"]
MISTAKES = [
    ("actor_critic", ["--size", "0"], "expected --steps and --size of at least 1"),
    ("dcgan", ["--seed", "-1"], "--seed of at least 0"),
    ("gcn", ["--steps", "0"], "expected --steps and --size of at least 1"),
    ("lstm", ["--dtype", "float16"], "choose from"),
    ("gpt", ["--size", "30"], "expected --size to be a multiple of 4"),
    ("gpt", WEIGHTS, "expected --weights and --tokens together"),
    ("gpt", [*WEIGHTS, "--tokens", "1"], "ln_f.bias"),
    ("gpt", ["--weights", "none.pth", "--tokens", "1"], "expected a file for --weights; got none.pth"),
    ("resnet", WEIGHTS, "expected a file for --image"),
    ("resnet", ["--weights", "none.pth", "--image", "file.pth"], "expected a file for --weights; got none.pth"),
    ("resnet", [*WEIGHTS, "--image", "none.jpg"], "expected a file for --image; got none.jpg"),
    ("hogwild", ["--processes", "0"], "--processes of at least 1"),
    ("parameter_server", ["--processes", "1"], "--processes of at least 2"),
    ("ring", ["--elements", "0"], "expected --elements and --processes of at least 1"),
    ("resumable", [], "required: folder"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), MISTAKES)
def test_wrong_arguments_are_explained(root, tmp_path, name, arguments, message):
    facula.save({"fc.bias": facula.ones(3), "epoch_loss": facula.ones(1)}, tmp_path / "file.pth")
    command = [sys.executable, "-m", "facula", "run", str(root / "examples" / f"{name}.py"), *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode and message in done.stderr and "Traceback" not in done.stderr, done.stderr[-3000:]
    assert [path.name for path in tmp_path.iterdir()] == ["file.pth"]


@pytest.mark.parametrize("name", ["gpt", "resnet", "vit"])
def test_files_with_other_contents_than_weights_are_explained(root, tmp_path, name):
    """`load_state_dict` names tensors that are missing, unknown or of other shapes; the program names other values."""
    program = f"""
import sys
sys.path.insert(0, {str(root / "examples")!r})
import {name}, torch
torch.set_num_threads(1)
for content in (torch.ones(3), {{"state_dict": {{}}, "epoch": 3}}, {{"conv_proj.weight": torch.ones(3)}}):
    torch.save(content, "file.pth")
    try:
        {name}.pretrained("file.pth")
    except (SystemExit, RuntimeError) as error:
        print(str(error).replace("\\n", " "))
open("file.pth", "w").write("This is not a model.")
try:
    {name}.pretrained("file.pth")
except SystemExit as error:
    print(error)
"""
    (tmp_path / "program.py").write_text(program)
    printed = run(tmp_path, "program.py", cwd=tmp_path).splitlines()
    assert "expected a state dict: a dict of tensors; got Tensor; save model.state_dict() alone" in printed[0]
    assert "got a dict of state_dict, epoch" in printed[1]
    assert "missing keys" in printed[2] and "conv_proj.weight" in printed[2]
    assert printed[3].startswith("expected a .pth or .safetensors file; got file.pth: ")
    assert "neither a safetensors file nor one of torch.save: it is text" in printed[3]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_that_share_a_network_read_as_well_as_one(root, method):
    """Compare accuracies instead of losses, since the order of the processes' steps varies."""
    printed = run(root, "examples/hogwild.py", "--processes", "3", "--start-method", method)
    alone, together = (float(line.rpartition(" ")[2]) for line in printed.splitlines())
    assert alone > 0.97 and together > alone - 0.03


@pytest.mark.parametrize("launcher", [[], ["--nproc", "3"]])
def test_a_ring_of_messages_adds_like_all_reduce(root, launcher):
    command = [sys.executable, "-m", "facula", "run", *launcher, str(root / "examples" / "ring.py")]
    done = subprocess.run([*command, "--elements", "100003"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    start, _, difference = done.stdout.strip().rpartition(" ")
    assert f"{3 if launcher else 4} processes: mean 0.4994, largest difference" in start and float(difference) < 1e-5


def test_workers_train_the_parameters_of_a_server(root):
    command = [sys.executable, "-m", "facula", "run", "--nproc", "3", str(root / "examples" / "parameter_server.py")]
    done = subprocess.run([*command, "--steps", "120"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    start, _, accuracy = done.stdout.strip().rpartition(" ")
    assert "2 workers, 240 updates" in start and float(accuracy) > 0.9


KILLED = """
import os, runpy, signal, sys
import facula
path, left = sys.argv.pop(1), int(sys.argv.pop(1))
class Killed(facula.optim.AdamW):
    def step(self):
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        super().step()
facula.optim.AdamW = Killed
runpy.run_path(path)
"""


def test_a_killed_run_continues_with_the_same_bits(root, tmp_path):
    pytest.importorskip("matplotlib")
    seed = random.randrange(1000)
    print(f"seed {seed}")
    steps = random.Random(seed)
    command = [sys.executable, "-c", KILLED, str(root / "examples" / "resumable.py")]
    env = {**os.environ, "MPLBACKEND": "agg"}
    kills = [steps.randint(40, 120), steps.randint(1, 60)]
    for folder, killed in (("whole", []), ("killed", kills)):
        for step in [*killed, -1]:
            done = subprocess.run(
                [*command, str(step), str(tmp_path / folder)], capture_output=True, text=True, env=env
            )
            assert done.returncode == (0 if step < 0 else -signal.SIGKILL), done.stderr[-3000:]
        assert (tmp_path / folder / "losses.png").stat().st_size > 1000
    for name in ("latest.pt", "best.pt"):
        whole, killed = (_plain(facula.load(tmp_path / folder / name)) for folder in ("whole", "killed"))
        assert whole == killed


def _plain(state):
    """Return a state with the bytes of tensors."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    return state.numpy().tobytes() if isinstance(state, facula.Tensor) else state


def test_all_programs_are_tested_and_described(root):
    folder = root / "examples"
    names = {*NAMES, "hogwild", "parameter_server", "resumable", "ring"}
    assert {path.stem for path in folder.glob("*.py")} == names
    page = (folder / "README.md").read_text()
    assert all(f"[{name}.py]({name}.py)" in page for name in names)
