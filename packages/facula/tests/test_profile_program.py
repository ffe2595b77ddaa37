"""`python -m facula profile`: runs programs in a profile, and writes the trace when they have ended."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from facula_profiler import Kind, Trace

FILES = ["page.html", "trace.json", "trace.npz"]
TRAINING = """
import sys
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
other = torch.optim.SGD([nn.Parameter(torch.ones(2, requires_grad=True))], lr=0.1)
for step in range(5):
    loss = model(torch.randn(3, 4)).square().mean()
    loss.backward()
    optimizer.step()
    other.step()
    optimizer.zero_grad()
print("arguments", sys.argv[1:], hasattr(torch, "capture"), flush=True)
"""


def start(*arguments, cwd):
    command = [sys.executable, "-m", "facula", "profile", *arguments]
    return subprocess.Popen(
        command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=accept_interrupts
    )


def accept_interrupts():
    """Undo the shell's setting for jobs in the background, which ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def profiled(*arguments, cwd):
    """Return the exit status, standard output and standard error."""
    process = start(*arguments, cwd=cwd)
    out, error = process.communicate(timeout=600)
    return process.returncode, out, error


def trace_in(folder):
    assert sorted(os.listdir(folder)) == FILES
    return Trace.load(folder / "trace.npz")


def names(trace, kind):
    return [trace.names[trace.events["name"][event]] for event in trace.of_kind(kind)]


def test_an_unmodified_program(tmp_path):
    (tmp_path / "training.py").write_text(TRAINING)
    status, out, error = profiled("--modules", "--shapes", "training.py", "--lr", "1", cwd=tmp_path)
    assert (status, out) == (0, "arguments ['--lr', '1'] True\n")
    assert "aten::linear" in error
    assert error.endswith("wrote trace.npz, trace.json and page.html to facula-profile\n")
    trace = trace_in(tmp_path / "facula-profile")
    steps = names(trace, Kind.STEP)
    assert steps == [f"ProfilerStep#{number}" for number in range(6)], "one for each step of the first optimizer"
    assert names(trace, Kind.OPTIMIZER).count("Optimizer.step#SGD.step") == 10
    assert "Sequential.0" in names(trace, Kind.MODULE)
    events = json.loads((tmp_path / "facula-profile" / "trace.json").read_text())["traceEvents"]
    assert any(event.get("name") == "aten::linear" for event in events)
    assert "aten::linear" in (tmp_path / "facula-profile" / "page.html").read_text()


def test_steps_and_options(tmp_path):
    program = TRAINING.replace("import torch\nfrom torch", "import facula as torch\nfrom facula")
    (tmp_path / "training.py").write_text(program)
    options = "--output deeper/folder --wait 1 --active 2 --stacks --memory -m training".split()
    status, out, error = profiled(*options, cwd=tmp_path)
    assert (status, out) == (0, "arguments [] True\n"), error
    trace = trace_in(tmp_path / "deeper" / "folder")
    assert names(trace, Kind.STEP) == ["ProfilerStep#1", "ProfilerStep#2"]
    assert any(frame.file.endswith("training.py") for stack in trace.stacks for frame in stack)
    assert len(trace.memory)
    assert not names(trace, Kind.MODULE)


@pytest.mark.parametrize(
    ("end", "status", "text"),
    [
        ("sys.exit(7)", 7, ""),
        ("sys.exit('goodbye')", 1, "goodbye"),
        ("raise ValueError('wrong')", 1, "ValueError: wrong"),
        ("torch.ones(2) + torch.ones(3)", 1, "add: shapes (2,) and (3,)"),
        ("sys.stderr.close(); sys.stdout.close()", 0, ""),
        ("import shutil; shutil.rmtree('facula-profile')", 0, "wrote trace.npz"),
    ],
)
def test_the_trace_is_written_when_the_program_ends(tmp_path, end, status, text):
    (tmp_path / "training.py").write_text(TRAINING + end)
    found, _, error = profiled("training.py", cwd=tmp_path)
    assert found == status
    assert text in error
    assert len(names(trace_in(tmp_path / "facula-profile"), Kind.STEP)) == 6


THREAD = """
import threading, time
def train(daemon):
    while threading.main_thread().is_alive():
        time.sleep(0.001)
    for step in range(10):
        optimizer.step()
    print("trained", flush=True)
    while daemon:
        optimizer.step()
threading.Thread(target=train, args=({0},), daemon={0}).start()
"""
POOL = """
import concurrent.futures
pool = concurrent.futures.ThreadPoolExecutor(1)
for step in range(10):
    pool.submit(optimizer.step)
"""
EXIT = """
import atexit
atexit.register(lambda: [optimizer.step() for step in range(10)])
"""


@pytest.mark.parametrize("later", [THREAD.format(False), POOL, EXIT])
def test_work_after_the_main_script_is_recorded(tmp_path, later):
    (tmp_path / "training.py").write_text(TRAINING + later)
    status, _, error = profiled("training.py", cwd=tmp_path)
    assert (status, "Traceback" in error) == (0, False), error
    assert len(names(trace_in(tmp_path / "facula-profile"), Kind.STEP)) == 16


def test_a_daemon_thread_may_train_until_the_end(tmp_path):
    ends = "import atexit\natexit.register(time.sleep, 0.2)\n"
    (tmp_path / "training.py").write_text(TRAINING + THREAD.format(True) + ends)
    status, out, error = profiled("training.py", cwd=tmp_path)
    assert (status, "trained" in out, "Traceback" in error) == (0, True, False), error
    assert len(names(trace_in(tmp_path / "facula-profile"), Kind.STEP)) > 16


def test_an_interrupt(tmp_path):
    (tmp_path / "training.py").write_text(TRAINING + "import time\ntime.sleep(600)")
    process = start("training.py", cwd=tmp_path)
    assert process.stdout.readline().startswith("arguments")
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=120)
    assert process.returncode in (-signal.SIGINT, 130)
    assert "KeyboardInterrupt" in error
    assert len(names(trace_in(tmp_path / "facula-profile"), Kind.STEP)) == 6


def test_a_killed_program_leaves_its_records(tmp_path):
    from facula_profiler import recover

    (tmp_path / "training.py").write_text(TRAINING + "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    assert profiled("training.py", cwd=tmp_path)[0] == -signal.SIGKILL
    trace = recover(tmp_path / "facula-profile" / "records.bin")
    assert names(trace, Kind.OPTIMIZER).count("Optimizer.step#SGD.step") == 10


def test_a_program_that_ends_before_the_first_recorded_step(tmp_path):
    (tmp_path / "training.py").write_text(TRAINING)
    status, _, error = profiled("--wait", "100", "training.py", cwd=tmp_path)
    assert status == 0
    assert error == "profile: the program ended before a step was recorded; see --wait\n"
    assert not os.listdir(tmp_path / "facula-profile")


def test_other_files_in_the_folder_remain(tmp_path):
    (tmp_path / "training.py").write_text(TRAINING)
    folder = tmp_path / "facula-profile"
    folder.mkdir()
    (folder / "records.bin.backup").write_text("mine")
    assert profiled("training.py", cwd=tmp_path)[0] == 0
    assert sorted(os.listdir(folder)) == sorted([*FILES, "records.bin.backup"])


def test_a_trace_that_cannot_be_written_leaves_the_records(tmp_path):
    blocks = "import os\nos.mkdir('facula-profile/trace.npz')\nsys.exit(3)\n"
    (tmp_path / "training.py").write_text(TRAINING + blocks)
    status, _, error = profiled("training.py", cwd=tmp_path)
    assert (status, "Traceback" in error) == (3, False), error
    assert "expected a file; got a folder" in error and "facula_profiler show" in error
    assert (tmp_path / "facula-profile" / "records.bin").exists()


def test_a_program_that_profiles_itself(tmp_path):
    own = """
with torch.profiler.profile() as prof:
    torch.ones(2).exp()
    optimizer.step()
print([event.name for event in prof.events() if event.name == "aten::exp"], flush=True)
torch.ones(2).tanh()
"""
    (tmp_path / "training.py").write_text(TRAINING + own)
    status, out, error = profiled("training.py", cwd=tmp_path)
    assert (status, out) == (0, "arguments [] True\n['aten::exp']\n"), error
    assert "pauses until it ends" in error
    found = names(trace_in(tmp_path / "facula-profile"), Kind.LAUNCH)
    assert "aten::tanh" in found and "aten::linear" in found and "aten::exp" not in found


def test_the_end_of_a_forked_child_writes_nothing(tmp_path):
    forks = "import os\nchild = os.fork()\nif not child:\n    optimizer.step()\n    sys.exit(0)\nos.waitpid(child, 0)\n"
    (tmp_path / "training.py").write_text(TRAINING + forks + "assert os.path.exists('facula-profile/records.bin')\n")
    status, _, error = profiled("training.py", cwd=tmp_path)
    assert status == 0, error
    assert error.count("wrote trace.npz") == 1
    assert len(names(trace_in(tmp_path / "facula-profile"), Kind.STEP)) == 6


def test_a_program_that_removes_its_current_folder(tmp_path):
    leaves = "import os\nos.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')\n"
    (tmp_path / "training.py").write_text(TRAINING + leaves)
    status, _, error = profiled("training.py", cwd=tmp_path)
    assert (status, "Traceback" in error) == (0, False), error
    assert error.endswith(f"wrote trace.npz, trace.json and page.html to {tmp_path}/facula-profile\n")
    trace_in(tmp_path / "facula-profile")


def test_refusals(tmp_path):
    (tmp_path / "training.py").write_text(TRAINING)
    (tmp_path / "taken").write_text("")
    (tmp_path / "folder" / "records.bin").mkdir(parents=True)
    for arguments, status, text in (
        (["missing.py"], 2, "profile: expected a Python file; got 'missing.py'"),
        (["--wait", "-1", "training.py"], 2, "argument --wait: expected a count of at least 0; got '-1'"),
        (["--events", "x", "training.py"], 2, "argument --events: expected a count of at least 0; got 'x'"),
        (["--events", str(1 << 50), "training.py"], 1, "fewer events by --events"),
        (["--events", str(1 << 40), "training.py"], 1, "fewer events by --events"),
        (["--output", "taken", "training.py"], 1, "choose another folder by --output"),
        (["--output", "folder", "training.py"], 1, "expected a file; got a folder"),
        (["--help"], 0, ""),
    ):
        found, out, error = profiled(*arguments, cwd=tmp_path)
        assert found == status
        assert text in error and "Traceback" not in error
        assert "arguments [" not in out, "the program did not run"
