"""Workers that end, hang, or fail to start; and programs that end before them."""

import gc
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from pickle import PicklingError

import numpy as np
import pytest

from facula_data import DataLoader
from facula_data._workers.worker_errors import WorkerError, WorkerTimeoutError
from facula_errors import OperationError

pytest.importorskip("facula_multiprocessing")

from worker_helpers import PROCESSES, Odd, Rows, Stream, alive, die, eventually, fail, gone, leave, state, stop

from facula_data._workers import processes
from facula_data._workers.processes import _Worker
from facula_errors.testing import raises


@pytest.mark.parametrize(("what", "said"), [(die, "SIGKILL"), (leave, "exit status 3")])
def test_a_worker_that_ends_is_an_error_at_once(what, said):
    with raises(WorkerError, "DataLoader", said) as caught:  # without a timeout, it would never return
        list(DataLoader(Odd(12, what), batch_size=8, num_workers=2, **PROCESSES))
    assert list(caught.value.unit) == list(range(8, 16))
    assert caught.value.worker == 1


def give_up(monkeypatch, is_stuck):
    """Simulate a timeout of a worker once it hangs, so that a slow machine cannot cause one."""
    receive = _Worker.receive

    def receive_or_give_up(worker, until, unit):
        while not is_stuck(worker) and not worker._link.poll(0.01) and worker._process.is_alive():
            pass
        return receive(worker, time.monotonic() if is_stuck(worker) else None, unit)

    monkeypatch.setattr(_Worker, "receive", receive_or_give_up)


class Stuck:
    """A worker that reports when it hangs."""

    def __init__(self, monkeypatch):
        self.pid = multiprocessing.get_context("fork").Value("i", 0)
        give_up(monkeypatch, self.is_stuck)
        monkeypatch.setattr(processes, "STACK_SECONDS", 600.0)

    def is_stuck(self, worker):
        return self.pid.value == worker.pid

    def here(self):
        self.pid.value = os.getpid()
        time.sleep(1000)


@pytest.fixture
def stuck(monkeypatch):
    return Stuck(monkeypatch)


def test_a_hanging_worker_reports_its_stack(stuck):
    with pytest.raises(WorkerTimeoutError) as caught:
        list(DataLoader(Odd(3, stuck.here), batch_size=8, num_workers=1, timeout=0.5, **PROCESSES))
    assert "__getitem__" in caught.value.stacks and "samples [0, 1, 2" in str(caught.value)


PARENT = """
import multiprocessing, os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
sys.path.insert(0, {here!r})
from facula_data import DataLoader
import worker_helpers
if __name__ == "__main__":
    loader = DataLoader(worker_helpers.Odd(39, lambda: time.sleep(1000)) if {slow} else worker_helpers.Rows(),
                        batch_size=8, num_workers=2, persistent_workers=True, multiprocessing_context={context!r})
    batches = iter(loader)
    next(batches)
    print(*[child.pid for child in multiprocessing.active_children()], flush=True)
    {then}
"""


def parent(then, context="fork", slow=False):
    program = PARENT.format(here=str(Path(__file__).parent), then=then, context=context, slow=slow)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    return process, [int(pid) for pid in process.stdout.readline().split()]


@pytest.mark.parametrize(
    ("slow", "context"), [(False, "fork"), (True, "fork"), (False, "forkserver"), (False, "spawn")]
)
def test_workers_end_with_a_killed_parent(slow, context):
    process, pids = parent("time.sleep(1000)", context, slow)
    assert len(pids) == 2
    process.kill()
    process.communicate()
    assert gone(pids)


@pytest.mark.parametrize("then", ["pass", "del batches, loader", "raise SystemExit(0)", "os._exit(0)", "1 / 0"])
def test_workers_end_with_the_program(then):
    process, pids = parent(then)
    process.communicate(timeout=600)
    assert gone(pids)


def test_ctrl_c_ends_the_workers():
    process, pids = parent("time.sleep(1000)")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert "KeyboardInterrupt" in said and said.count("Traceback") == 1
    assert gone(pids)


def test_a_fork_of_the_program_closes_a_workers_pipe():
    process, pids = parent("fork = os.fork() or time.sleep(1000); print(fork, flush=True); os.kill(os.getpid(), 9)")
    fork = int(process.stdout.readline())
    process.wait(timeout=600)
    assert gone(pids) and alive(fork)
    os.kill(fork, signal.SIGKILL)
    process.stdout.close(), process.stderr.close()


def test_pickling_errors_suggest_a_remedy():
    with raises(TypeError, "DataLoader", "at the top level of a module") as caught:
        iter(DataLoader(Odd(3, lambda: None), batch_size=8, num_workers=1, multiprocessing_context="spawn"))
    assert "lambda" in str(caught.value) or "pickle" in str(caught.value)


UNGUARDED = """
import sys
from facula_data import DataLoader
class D:
    def __len__(self): return 8
    def __getitem__(self, index): return index
for batch in DataLoader(D(), batch_size=4, num_workers=1, multiprocessing_context="{context}"):
    pass
"""


@pytest.mark.parametrize("context", ["spawn", "forkserver"])
def test_an_unguarded_program_gets_a_hint(context, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(UNGUARDED.format(context=context))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]


def test_a_stopped_worker_is_detected_within_a_second_of_the_timeout(monkeypatch):
    give_up(monkeypatch, lambda worker: state(worker.pid) == "T")
    others = set(children())  # those of other tests that are still running
    loader = DataLoader(Odd(8, stop), batch_size=8, num_workers=1, timeout=0.5, persistent_workers=True, **PROCESSES)
    batches = iter(loader)
    next(batches)
    (worker,) = set(children()) - others
    assert eventually(lambda: state(worker) == "T")
    with raises(WorkerTimeoutError, "DataLoader", "does not answer") as caught:
        next(batches)
    assert processes.STACK_SECONDS < 1
    os.kill(caught.value.pid, signal.SIGKILL)


def test_a_hanging_worker_is_replaced_if_bad_samples_are_skipped(stuck):
    loader = DataLoader(
        Odd(9, stuck.here), 4, num_workers=2, timeout=1.5, on_error="skip", persistent_workers=True, **PROCESSES
    )
    batches = iter(loader)
    with pytest.warns(UserWarning, match=r"worker 0 .* returned no batch of samples .*; it is replaced"):
        found = [next(batches)["index"].tolist() for _ in range(10)]
    assert found == [[i for i in range(first, first + 4) if i != 9] for first in range(0, 40, 4)]


def test_a_daemonic_process_gets_a_hint():
    said = subprocess.run([sys.executable, "-c", DAEMONIC], capture_output=True, text=True, timeout=600)
    assert "daemon=False" in said.stdout


DAEMONIC = """
import multiprocessing
from facula_data import DataLoader

def train():
    try:
        list(DataLoader(range(4), num_workers=1))
    except RuntimeError as error:
        print(error)

process = multiprocessing.get_context("fork").Process(target=train, daemon=True)
process.start()
process.join()
"""


def test_a_batch_that_cannot_be_sent_is_an_error():
    with pytest.raises((AttributeError, TypeError, PicklingError)) as caught:
        list(DataLoader(Rows(), 8, num_workers=1, collate_fn=lambda rows: lambda: rows, **PROCESSES))
    assert "be picklable" in "".join(caught.value.__notes__)


def test_a_killed_worker_hints_at_a_lack_of_memory():
    with raises(WorkerError, "DataLoader", "by SIGKILL, as the kernel does where memory is short"):
        list(DataLoader(Odd(0, die), batch_size=8, num_workers=1, **PROCESSES))


class Broken(Stream):
    """An iterator that fails."""

    def __iter__(self):
        for sample in super().__iter__():
            if sample == 10:
                fail()
            yield sample


@pytest.fixture
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def children():
    return [one.pid for one in multiprocessing.active_children() if one.name.startswith("facula worker")]


ENDS = {
    "ended": lambda batches: list(batches),
    "in the middle": lambda batches: next(batches),
    "not asked": lambda batches: None,
}


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("how", ENDS)
def test_dropping_a_pass_ends_its_workers_immediately(how):
    batches = iter(DataLoader(Rows(), batch_size=8, num_workers=2, **PROCESSES))
    ENDS[how](batches)
    del batches
    assert children() == []


@pytest.mark.usefixtures("without_collector")
@pytest.mark.parametrize("dataset", [Odd(12, fail), Broken(30)], ids=["sample", "stream"])
def test_a_failed_pass_is_freed_with_its_error(dataset):
    def train():
        for _ in DataLoader(dataset, batch_size=8, num_workers=2, **PROCESSES):
            pass

    with pytest.raises(ZeroDivisionError):
        train()
    assert children() == []


@pytest.mark.usefixtures("without_collector")
def test_an_error_in_the_loop_ends_the_workers():
    def train():
        for _ in DataLoader(Rows(), batch_size=8, num_workers=2, **PROCESSES):
            raise KeyError("the program's own")

    with pytest.raises(KeyError):
        train()
    assert children() == []


WITHOUT_FILE = """
from facula_data import DataLoader
class D:
    def __len__(self): return 8
    def __getitem__(self, index): return index
loader = DataLoader({dataset}, batch_size=4, num_workers=2, multiprocessing_context="{context}")
print([batch.tolist() for batch in loader])
batches = iter(loader)
next(batches)  # and the program ends with a pass under way
"""


@pytest.mark.parametrize("context", ["fork", "forkserver", "spawn"])
@pytest.mark.parametrize("dataset", ["range(8)", "D()"])
@pytest.mark.parametrize("how", ["-c", "-"])
def test_programs_without_a_file(how, context, dataset):
    """As in a notebook, only forked workers know the program's definitions, and the error says so.

    From standard input Python itself cannot begin other workers, since it takes "<stdin>" for the program's file.
    """
    program = WITHOUT_FILE.format(context=context, dataset=dataset)
    arguments = ["-c", program] if how == "-c" else ["-"]
    text = None if how == "-c" else program
    done = subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True, timeout=600)
    if context == "fork" or (dataset == "range(8)" and how == "-c"):
        assert (done.returncode, done.stdout) == (0, "[[0, 1, 2, 3], [4, 5, 6, 7]]\n"), done.stderr
        assert not done.stderr
    else:
        assert done.returncode == 1
        assert "a notebook's classes in a module of their own" in done.stderr


@pytest.mark.parametrize(("keep", "epochs"), [(True, 60), (False, 15)])
def test_descriptors_and_memory_are_flat_over_epochs(keep, epochs):
    loader = DataLoader(Rows(), batch_size=8, num_workers=2, persistent_workers=keep, **PROCESSES)
    used = []
    for _ in range(epochs):
        list(loader)
        with open("/proc/self/statm") as file:
            used.append((len(os.listdir("/proc/self/fd")), int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")))
    assert used[-1][0] <= used[2][0]
    assert used[-1][1] - used[epochs // 3][1] < 2 << 20


def in_a_fork(function):
    """Return the result or error of a function in a process forked from this one, and its output."""
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(tell, 2)
        try:
            said = function()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        os.write(tell, str(said).encode())
        os._exit(0)
    os.close(tell)
    try:
        return os.read(told, 10000).decode() if select.select([told], [], [], 600)[0] else "it hangs"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(told)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("kind", [PROCESSES, {"worker_method": "thread"}], ids=["processes", "threads"])
def test_a_fork_of_the_program_starts_its_own_workers(kind, keep):
    loader = DataLoader(range(40), batch_size=4, num_workers=2, persistent_workers=keep, **kind)
    kept = [loader, iter(loader)]
    assert next(kept[1]).tolist() == [0, 1, 2, 3]
    assert "OperationError: DataLoader: the workers of this pass answer process" in in_a_fork(lambda: next(kept[1]))
    assert in_a_fork(lambda: [batch.tolist()[0] for batch in loader]) == str(list(range(0, 40, 4)))

    def let_go():
        nonlocal loader
        loader = None
        kept.clear()
        return "let go"

    assert in_a_fork(let_go) == "let go"
    assert [batch.tolist()[0] for batch in kept[1]] == list(range(4, 40, 4))


def lose(error, index):
    return {"row": np.zeros(500, np.float32), "index": -index, "name": f"no row {index}"}


@pytest.mark.parametrize("what", [die, leave])
@pytest.mark.parametrize("size", [8, None])
@pytest.mark.parametrize(("policy", "instead"), [("skip", None), ("substitute", 1), (lose, -5)])
def test_only_the_sample_that_ends_its_worker_is_lost(policy, instead, size, what):
    loader = DataLoader(Odd(5, what), size, num_workers=2, seed=1, on_error=policy, **PROCESSES)
    with pytest.warns(UserWarning, match=r"sample 5\b.*; it is replaced"):
        found = [np.ravel(batch["index"]).tolist() for batch in loader]
    found = [index for batch in found for index in batch]
    if policy == "substitute":
        instead = found[5]
        assert instead != 5
    assert found == [*range(5), *([] if instead is None else [instead]), *range(6, 40)]


def test_the_error_of_a_dead_worker_names_the_sample():
    with raises(WorkerError, "DataLoader", "while it read sample 11 and made the batch of samples") as caught:
        list(DataLoader(Odd(11, die), 8, num_workers=1, **PROCESSES))
    assert caught.value.position == 3


@pytest.mark.parametrize("kind", [PROCESSES, {"worker_method": "thread"}])
def test_a_sample_does_not_end_the_program(kind):
    with raises(OperationError, "DataLoader", "worker 0 raised SystemExit('done')"):
        list(DataLoader(Odd(3, partial(sys.exit, "done")), 8, num_workers=1, on_error="skip", **kind))
