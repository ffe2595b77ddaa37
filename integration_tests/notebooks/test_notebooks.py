"""Notebooks: interrupted cells leave no workers and modes, captures follow reloads, and values have displays."""

import json
import os
import time

import pytest

manager = pytest.importorskip("jupyter_client.manager", reason="the session docs_run installs it")

BEGIN = """
import facula.as_torch
import torch, json, multiprocessing, os, threading, time
from torch import nn
from torch.utils.data import DataLoader, Dataset
import facula
from facula_autograd.extend.modes import active_modes
from facula_storage.extend.recording import current_recorder

class Numbers(Dataset):
    def __len__(self):
        return 10**6
    def __getitem__(self, index):
        return torch.full((4,), float(index)), index % 2

def state():
    workers = [*multiprocessing.active_children(), *threading.enumerate()]
    return [
        [one.name for one in workers if one.name.startswith("facula worker")], torch.is_grad_enabled(),
        torch.is_autocast_enabled("cpu"), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled(),
        list(map(str, active_modes)), str(current_recorder()), str(torch.get_default_device()),
    ]

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = torch.randn(16, 4), torch.randint(0, 2, (16,))

def step(x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()

replayed = facula.capture(step)
"""

MODULE = """
import facula
@facula.capture
def decorated(x):
    return x * {0}
def plain(x):
    return x * {0}
class Net(facula.nn.Module):
    def forward(self, x):
        return x * {0}
    @facula.capture
    def method(self, x):
        return x * {0}
"""


class Kernel:
    """A kernel whose cells can be interrupted as by the stop button."""

    def __init__(self, folder):
        self.manager, self.client = manager.start_new_kernel(kernel_name="python3", cwd=str(folder))

    def run(self, code, interrupt=False):
        """Return the text that a cell prints and the data that it displays; interrupt it once it has printed."""
        request = self.client.execute(code)
        printed, shown = "", {}
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "stream":
                printed += content["text"]
                if interrupt and "running" in content["text"]:
                    time.sleep(0.3)
                    self.manager.interrupt_kernel()
            elif kind == "error":
                printed += content["ename"]
                assert interrupt, "\n".join(content["traceback"])
            elif kind == "execute_result":
                shown = content["data"]
            elif kind == "status" and content["execution_state"] == "idle":
                return printed, shown


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    found = Kernel(tmp_path_factory.mktemp("notebook"))
    found.run(BEGIN)
    yield found
    found.client.stop_channels()
    found.manager.shutdown_kernel(now=True)


INTERRUPTED = {
    "training": "while True: step(x, y)",
    "replays": "while True: replayed(x, y)",
    "recording": """
@facula.capture
def endless(x):
    while True:
        x = x + 1
endless(x)""",
    "processes": "for a, b in DataLoader(Numbers(), batch_size=8, num_workers=2): step(a, b)",
    "threads": "for a, b in DataLoader(Numbers(), batch_size=8, num_workers=2, worker_method='thread'): step(a, b)",
    "kept processes": """
loader = DataLoader(Numbers(), batch_size=8, num_workers=2, persistent_workers=True)
begun = iter(loader)
for a, b in begun:
    time.sleep(60)""",
    "modes": """
with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16), torch.device("meta"):
    while True:
        model(x)""",
    "anomalies": """
with torch.autograd.detect_anomaly(), torch.autograd.graph.save_on_cpu():
    while True:
        step(x, y)""",
}


@pytest.mark.parametrize("case", INTERRUPTED)
def test_interrupted_cells_leave_nothing_on(kernel, case):
    before = json.loads(kernel.run("print(json.dumps(state()))")[0])
    printed, _ = kernel.run(f"print('running', flush=True)\n{INTERRUPTED[case]}", interrupt=True)
    # Python 3.11 can stop at a jump without a line number. IPython then asserts a number, and prints both tracebacks.
    is_fallback = "\nKeyboardInterrupt" in printed and "ultratb" in printed
    assert is_fallback or printed.endswith("KeyboardInterrupt"), printed
    until = time.monotonic() + 10
    while (after := json.loads(kernel.run("print(json.dumps(state()))")[0])) != before and time.monotonic() < until:
        time.sleep(0.1)
    assert after == before
    assert float(kernel.run("print(abs(step(x, y) - nn.functional.cross_entropy(model(x), y)).item())")[0]) < 0.1


@pytest.mark.parametrize("mode", ["2", "2-", "3"])
def test_captures_follow_autoreload(tmp_path, mode):
    path = tmp_path / "reloaded_module.py"

    def write(factor):
        path.write_text(MODULE.format(factor))
        os.utime(path, (time.time() + 10 * factor,) * 2)

    write(1)
    kernel = Kernel(tmp_path)
    kernel.run(f"import sys; sys.path.insert(0, '.')\n%load_ext autoreload\n%autoreload {mode}")
    kernel.run("import facula, reloaded_module\nfrom reloaded_module import Net, decorated, plain")
    kernel.run(
        "net, x = Net(), facula.ones(1)\n"
        "functions = [decorated, facula.capture(plain), facula.capture(net), facula.capture(lambda x: plain(x) + 0), "
        "facula.compile(Net()), net.method, lambda x: reloaded_module.decorated(x)]"
    )
    for factor in (1, 2, 3):
        if factor > 1:
            write(factor)
        for _ in range(3):
            assert kernel.run("print([f(x).item() for f in functions])")[0] == f"{[float(factor)] * 7}\n"
    kernel.client.stop_channels()
    kernel.manager.shutdown_kernel(now=True)


def test_values_have_displays(kernel):
    for code, part in {
        "x[:2]": "<td",
        "model": "58 parameters, 232 B",
        "[replayed(x, y) for _ in range(4)] and replayed": "launches",
        "replayed.graph()": "linear(x0",
        "with facula.profiler.profile() as prof: step(x, y)\nprof": "Self CPU",
    }.items():
        head, _, last = code.rpartition("\n")
        assert part in kernel.run(f"{head}\n{last}")[1]["text/html"], code
