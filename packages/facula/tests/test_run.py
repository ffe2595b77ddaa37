"""`python -m facula run`: runs unmodified PyTorch programs."""

import subprocess
import sys
from pathlib import Path

import pytest

import facula_cpu

PROGRAM = """
import multiprocessing
import sys
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

def child(queue):
    import torch
    queue.put((torch.__name__, torch.ones(2).sum().item()))

if __name__ == "__main__":
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    schedule = StepLR(optimizer, 1)
    for (x,) in DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2):
        loss = F.mse_loss(model(x), torch.zeros(2, 1))
        loss.backward()
        optimizer.step()
    print(torch.__name__, nn.__name__, nn.__spec__.name, F.relu is torch.nn.functional.relu, sys.argv[1:])
    context = multiprocessing.get_context("spawn")
    queue = context.SimpleQueue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    print(queue.get())
    process.join()
    try:
        import torch.quantization
    except ModuleNotFoundError as error:
        print(error.name, error)
"""
VERSIONS = """
import sys
import torch, facula
from importlib.metadata import version
from torch.torch_version import TorchVersion
numbers = tuple(int(part) for part in torch.__version__.split(".")[:2])
assert torch.__version__ >= "2.0" and (2, 0) <= torch.__version__ < "2.100" and numbers >= (2, 1)
assert torch.__version__ == torch.version.__version__ == torch.version.pytorch == version("torch") == "2.13.0"
assert torch.version.facula != torch.__version__ and version("torch") in version("torch")
assert isinstance(torch.__version__, TorchVersion) and torch.__version__ != "2.12" and not torch.__version__ < "2.4"
import torch.multiprocessing.spawn, torch.autograd.gradcheck, torch.cuda.memory
from torch.autograd.gradcheck import GradcheckError
assert callable(torch.multiprocessing.spawn) and callable(torch.autograd.gradcheck)
assert torch.cuda.memory.memory_allocated() == 0
from importlib.util import find_spec
for name, reason in {
    "torch.nonsense.deeper": "neither PyTorch nor facula has facula.nonsense",
    "torch.quantization": "quantisation is not there",
    "torch._nonsense": "facula has none; ",
    "torch.nn.utils.prune.deeper": "facula has none; ",
    "torch.ao.quantization.observer": "facula has none; quantisation is not there",
}.items():
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        assert reason in str(error) and error.name in (name, "torch.nonsense"), error
    else:
        raise AssertionError(name)
    assert find_spec("torch.nonsense") is None and find_spec("torch._nonsense") is None
assert find_spec("torch") is not None and find_spec("torch.nn.functional") is not None
assert "torch.func" not in sys.modules and find_spec("torch.func") is not None
"""
ALIASED = """
import facula.as_torch
import multiprocessing, sys
import torch, torch.nn as nn
import facula
from importlib.metadata import packages_distributions, version

def where(queue):
    import torch, torch.nn.functional as F, facula
    queue.put((torch is facula, torch.__name__, F.relu(torch.ones(1)).item(), version("torch")))

if __name__ == "__main__":
    import facula.as_torch  # again is nothing
    assert torch is facula and nn is facula.nn and sys.meta_path.count(sys.meta_path[0]) == 1
    assert torch.__version__ == version("torch") and packages_distributions()["torch"][0] == "torch"
    for method in METHODS:
        context = multiprocessing.get_context(method)
        queue = context.SimpleQueue()
        process = context.Process(target=where, args=(queue,))
        process.start()
        print(method, *queue.get())
        process.join()
    loader = torch.utils.data.DataLoader(torch.arange(4), num_workers=1)
    print(len(list(loader)))
"""


FIRST_PATHS = """
import multiprocessing, subprocess, sys

def first(queue):
    import torch
    queue.put((sys.path[0], torch.__name__))

if __name__ == "__main__":
    print(sys.path[0], flush=True)
    for method in ("spawn", "forkserver", "fork"):
        context = multiprocessing.get_context(method)
        queue = context.SimpleQueue()
        process = context.Process(target=first, args=(queue,))
        process.start()
        print(*queue.get(), flush=True)
        process.join()
    subprocess.run([sys.executable, "inner/other.py"], check=True)
"""


def run(*arguments, cwd=None):
    command = [sys.executable, "-m", "facula", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=cwd)


def test_a_program_and_its_children(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    done = run("run", str(script), "--epochs", "3")
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert first == "torch facula.nn facula.nn True ['--epochs', '3']"
    assert second == "('torch', 2.0)"
    assert third.startswith("torch.quantization No module named 'torch.quantization': PyTorch has torch.quantization")
    assert "; quantisation is not there: use float32" in third


METHODS = ["spawn", "forkserver", "fork"]


def test_the_alias_as_the_first_line_of_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(ALIASED.replace("METHODS", repr(METHODS)))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [*[f"{method} True torch 1.0 2.13.0" for method in METHODS], "4"]


def test_the_alias_without_a_script(tmp_path):
    """Check the case of notebooks: processes of multiprocessing do not run the program's first line."""
    (tmp_path / "work.py").write_text("import torch\n\n\ndef name(number):\n    return torch.__name__ * number\n")
    code = (
        "import facula.as_torch, multiprocessing, work\n"
        "with multiprocessing.get_context('METHOD').Pool(1) as pool: print(pool.map(work.name, [1, 2]))"
    )
    for method in METHODS:
        done = subprocess.run(
            [sys.executable, "-c", code.replace("METHOD", method)], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.stdout == "['torch', 'torchtorch']\n", done.stderr


def test_the_alias_takes_precedence_over_pytorch(tmp_path):
    """Check that `import torch` never finds PyTorch, or another module of that name, once the alias is installed."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("is_pytorch = True\n")
    (tmp_path / "torch" / "nn.py").write_text("is_pytorch = True\n")
    for code, words in {
        "import torch, facula, torch.nn; print(torch.is_pytorch, torch.nn.is_pytorch)": "True True",
        "import facula.as_torch, torch.nn; print(hasattr(torch, 'is_pytorch'), torch.nn is facula.nn)": "False True",
        "import torch, facula.as_torch": "facula.as_torch: torch is loaded already in this process",
        "import sys, torch.nn; del sys.modules['torch']; import facula.as_torch": "before anything imports torch",
    }.items():
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
        assert words in done.stdout + done.stderr, (code, done)


def test_a_module_and_the_programs_that_it_starts(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(
        "import subprocess, sys, torch\nfrom package import __name__ as name\n"
        "print(torch.__name__, name, __name__, __spec__.name, sys.argv[1:], flush=True)\n"
        "subprocess.run([sys.executable, '-c', 'import torch; print(torch.__name__)'], check=True)\n"
    )
    (tmp_path / "test_it.py").write_text("import torch\n\n\ndef test_it():\n    assert torch.ones(2).sum() == 2\n")
    done = run("run", "-m", "package", "-m", "--epochs", "3", cwd=tmp_path)
    assert done.stdout == "torch package __main__ package.__main__ ['-m', '--epochs', '3']\ntorch\n", done.stderr
    done = run("run", "-m", "pytest", "-q", "test_it.py", cwd=tmp_path)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    done = run("run", "-m", "nowhere", cwd=tmp_path)
    assert done.returncode == 1 and "No module named nowhere" in done.stderr


def test_the_scripts_folder_is_first_on_the_path(tmp_path):
    """Check that this holds as in Python, also in processes that a program starts."""
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "script.py").write_text(FIRST_PATHS)
    (inner / "other.py").write_text("import sys, torch\nprint(sys.path[0], torch.__name__)\n")
    (tmp_path / "link.py").symlink_to(inner / "script.py")
    for script, place in (("inner/script.py", inner), ("link.py", inner)):
        done = run("run", script, cwd=tmp_path)
        assert done.stdout.splitlines() == [str(place), *[f"{place} torch"] * 4], done.stderr
    done = run("run", "-m", "inner.script", cwd=tmp_path)
    assert done.stdout.splitlines() == [str(tmp_path), *[f"{tmp_path} torch"] * 3, f"{inner} torch"], done.stderr
    command = [sys.executable, "-P", "-c", "import sys; print(sys.path[0])"]
    safe = subprocess.run(command, capture_output=True, text=True)
    (inner / "other.py").write_text("import sys; print(sys.path[0])")
    command = [sys.executable, "-P", "-m", "facula", "run", str(inner / "other.py")]
    assert subprocess.run(command, capture_output=True, text=True).stdout == safe.stdout


def test_captured_functions_use_the_alias(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import facula.as_torch, torch\n"
        "step = torch.capture(lambda x: torch.relu(x) * getattr(torch, 'pi'))\n"
        "print([step(torch.ones(1)).item() for _ in range(3)] == [torch.pi.__float__()] * 3 or step(torch.ones(1)))\n"
        "print('replayed' in step.report(), step.report())\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert "True" in done.stdout.splitlines()[-2], done.stdout + done.stderr


def test_reported_versions_are_pytorchs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(VERSIONS)
    done = run("run", str(script))
    assert done.returncode == 0, done.stderr


def test_information_for_reports():
    lines = dict(line.split(": ", 1) for line in run("info").stdout.splitlines())
    assert lines["facula"].startswith("facula 0.") and "autograd 0." in lines["facula"]
    assert lines["kernels"] == f"{facula_cpu.level()}, {facula_cpu.get_num_threads()} threads"
    assert lines["also installed"] and lines["devices"].startswith("cpu")


@pytest.mark.parametrize("setting", ["FACULA_CPU_LEVEL", "FACULA_NUM_THREADS"])
def test_reports_contain_errors_of_settings(monkeypatch, setting):
    monkeypatch.setenv(setting, "mmx")
    lines = dict(line.split(": ", 1) for line in run("info").stdout.splitlines())
    assert f"environment variable {setting} to be" in lines["kernels"] and "got 'mmx'" in lines["kernels"]
    assert lines["devices"].startswith("cpu") and f"{setting}=mmx" in lines["settings"]


def test_invalid_command_lines_are_refused(tmp_path):
    done = run("run", str(tmp_path / "none.py"))
    assert done.returncode == 2
    assert "expected a Python file; got" in done.stderr
    assert run().returncode == 2
    assert run("run").stderr.rstrip().endswith("the following arguments are required: script")
    assert run("--version").stdout.startswith("facula 0.")
    (tmp_path / "torch.py").write_text("")
    code = "import sys, runpy, torch; sys.argv[1:] = ['run', 'x.py']; runpy.run_module('facula', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "torch is loaded already" in done.stderr


SEVERAL = """
import sys
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor([dist.get_rank() + 1.0])
dist.all_reduce(total)
print(torch.__name__, total.item(), sys.argv[1:])
if "fail" in sys.argv and dist.get_rank() == 1:
    raise ValueError("a bad sample")
dist.barrier()
"""


def test_a_program_on_several_processes(tmp_path):
    program = tmp_path / "several.py"
    program.write_text(SEVERAL)
    command = [sys.executable, "-m", "facula", "run", "--nproc", "2", program]
    done = subprocess.run([*command, "--epochs", "3"], capture_output=True, text=True, timeout=60)
    line = "torch 3.0 ['--epochs', '3']"
    assert sorted(done.stdout.splitlines()) == [f"[rank {rank}] {line}" for rank in range(2)], done.stderr
    assert done.returncode == 0
    done = subprocess.run([*command, "fail"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "[facula run] rank 1 failed at " in done.stderr and "several.py:11: ValueError: a bad sample" in done.stderr
    assert "[rank 0] RankError: barrier: rank 1 failed at" in done.stderr


@pytest.mark.parametrize(
    ("program", "shown", "last"),
    [
        ("import torch\ntorch.ones(2, 3) @ torch.ones(2)\n", ["program.py"], "ArgumentError"),
        ("import torchvision_x\n", ["program.py"], "No module named 'torchvision_x'"),
        ("import torch\nx = (\n", ["program.py"], "SyntaxError"),
    ],
)
@pytest.mark.parametrize("options", [["program.py"], ["-m", "program"]])
def test_tracebacks_begin_at_the_program(tmp_path, program, shown, last, options):
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "facula", "run", *options], cwd=tmp_path, capture_output=True, text=True
    )
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and last in done.stderr
    if options == ["program.py"] or last != "SyntaxError":
        assert [Path(line.split('"')[1]).name for line in lines if line.startswith('  File "')] == shown
