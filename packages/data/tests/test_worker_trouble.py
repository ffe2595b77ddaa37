"""Workers that end, hang, or cannot begin; and programs that end before them."""

import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from facula_data import DataLoader
from facula_data._errors import WorkerError, WorkerTimeoutError

pytest.importorskip("facula_multiprocessing")

from worker_helpers import PROCESSES, Odd, die, gone_within, leave, stop


@pytest.mark.parametrize(("what", "said"), [(die, "SIGKILL"), (leave, "exit status 3")])
def test_a_worker_that_ends_is_an_error_at_once(what, said):
    begun = time.monotonic()
    with pytest.raises(WorkerError, match=said) as caught:
        list(DataLoader(Odd(12, what), batch_size=8, num_workers=2, **PROCESSES))
    assert time.monotonic() - begun < 10
    assert list(caught.value.unit) == list(range(8, 16))
    assert caught.value.worker == 1


def test_a_stuck_worker_says_where_it_is():
    begun = time.monotonic()
    with pytest.raises(WorkerTimeoutError) as caught:
        list(DataLoader(Odd(3, partial(time.sleep, 60)), batch_size=8, num_workers=1, timeout=0.5, **PROCESSES))
    assert time.monotonic() - begun < 10
    assert "__getitem__" in caught.value.stacks and "samples [0, 1, 2" in str(caught.value)


def test_a_stopped_worker_is_noticed():
    with pytest.raises(WorkerTimeoutError, match="does not answer"):
        list(DataLoader(Odd(3, stop), batch_size=8, num_workers=1, timeout=0.5, **PROCESSES))


PARENT = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
sys.path.insert(0, {here!r})
from facula_data import DataLoader
import worker_helpers
if __name__ == "__main__":
    loader = DataLoader(worker_helpers.Odd(39, lambda: time.sleep(60)) if {slow} else worker_helpers.Rows(),
                        batch_size=8, num_workers=2, persistent_workers=True, multiprocessing_context={context!r})
    batches = iter(loader)
    next(batches)
    print(*[worker._process.pid for worker in loader._crew._kept._workers], flush=True)
    {then}
"""


def parent(then, context="fork", slow=False):
    program = PARENT.format(here=str(Path(__file__).parent), then=then, context=context, slow=slow)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    return process, [int(pid) for pid in process.stdout.readline().split()]


@pytest.mark.parametrize("slow", [False, True])
def test_workers_end_with_a_killed_parent(slow):
    process, pids = parent("time.sleep(60)", slow=slow)
    assert len(pids) == 2
    process.kill()
    process.communicate()
    assert gone_within(pids, 2)


@pytest.mark.parametrize("then", ["pass", "del batches, loader", "raise SystemExit(0)", "os._exit(0)", "1 / 0"])
def test_a_program_that_ends_takes_its_workers_with_it(then):
    process, pids = parent(then)
    begun = time.monotonic()
    process.communicate(timeout=30)
    assert time.monotonic() - begun < 8
    assert gone_within(pids, 2)


def test_ctrl_c_ends_the_workers():
    process, pids = parent("time.sleep(60)")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in said and said.count("Traceback") == 1
    assert gone_within(pids, 2)


def test_a_childs_end_of_the_pipe_is_not_kept_by_a_fork_of_the_program():
    process, pids = parent("os.fork() or time.sleep(5); os.kill(os.getpid(), 9)")
    process.wait(timeout=20)
    assert gone_within(pids, 2)
    process.stdout.close(), process.stderr.close()


def test_what_cannot_be_pickled_is_said_with_a_remedy():
    with pytest.raises(TypeError, match="at the top of a module") as caught:
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
def test_an_unguarded_program_is_told_so(context, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(UNGUARDED.format(context=context))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]
