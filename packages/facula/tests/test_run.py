"""`python -m facula run`: programs for PyTorch, unchanged."""

import subprocess
import sys

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
try:
    import torch.nonsense.deeper
except ModuleNotFoundError as error:
    assert "neither PyTorch nor facula has facula.nonsense" in str(error)
else:
    raise AssertionError
"""


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "facula", *arguments], capture_output=True, text=True, timeout=120)


def test_a_program_and_its_children(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    done = run("run", str(script), "--epochs", "3")
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert first == "facula facula.nn facula.nn True ['--epochs', '3']"
    assert second == "('facula', 2.0)"
    assert third.startswith("torch.quantization No module named 'torch.quantization': PyTorch has torch.quantization")
    assert "; quantisation is not there: use float32" in third


def test_versions_are_those_of_pytorch(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(VERSIONS)
    done = run("run", str(script))
    assert done.returncode == 0, done.stderr


def test_mistakes(tmp_path):
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
