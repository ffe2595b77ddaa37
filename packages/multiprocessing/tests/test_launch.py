"""`spawn`: processes that run one function and end together."""

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import facula_multiprocessing as mp
from facula_errors.testing import raises

METHODS = multiprocessing.get_all_start_methods()


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


def fill(index, array):
    array[index] = index + 1


def test_each_gets_its_number_and_the_arguments(method):
    array = mp.shared_empty(3, "int64")
    array[:] = 0
    assert mp.spawn(fill, (array,), nprocs=3, start_method=method) is None
    assert array.tolist() == [1, 2, 3]


def write_pid(path):
    """Write in one step, so that a process that waits for the file finds the number in it."""
    part = path.with_suffix(".part")
    part.write_text(str(os.getpid()))
    part.rename(path)


def fail(index, how, place):
    write_pid(place / str(index))
    if index == 1:
        while not (place / "0").exists():
            time.sleep(0.01)
        if how == "raise":
            raise KeyError("lost")
        if how == "exit":
            sys.exit(3)
        if how == "long":
            raise ValueError("x" * 1_000_000)
        os.kill(os.getpid(), getattr(signal, how))
    time.sleep(1000)


@pytest.mark.parametrize(
    ("how", "kind", "said"),
    [
        (
            "raise",
            mp.ProcessRaisedException,
            "process 1 ended with an exception ... in fail ... KeyError: 'lost'",
        ),
        (
            "long",
            mp.ProcessRaisedException,
            "ValueError: xxx...xxx",
        ),
        ("exit", mp.ProcessExitedException, "process 1 ended with status 3"),
        ("SIGKILL", mp.ProcessExitedException, "process 1 was ended by SIGKILL ... lack of memory"),
        ("SIGSEGV", mp.ProcessExitedException, "process 1 was ended by SIGSEGV"),
    ],
)
def test_the_first_failure_ends_the_others(method, how, kind, said, tmp_path):
    found = mp.spawn(fail, (how, tmp_path), nprocs=2, join=False, start_method=method)
    with raises(kind, "spawn", said) as caught:
        while not found.join():
            pass
    assert found.processes[0].exitcode == -signal.SIGTERM
    error = caught.value
    assert error.error_index == 1 and error.error_pid == int((tmp_path / "1").read_text())
    assert not os.path.exists(f"/proc/{(tmp_path / '0').read_text()}")
    if kind is mp.ProcessExitedException:
        assert error.exit_code == (3 if how == "exit" else -getattr(signal, how))
        assert error.signal_name == (None if how == "exit" else how)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def stubborn(index, place):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (place / str(index)).write_text("here")
    if index == 1:
        while not (place / "0").exists():
            time.sleep(0.01)
        raise ValueError
    time.sleep(1000)


def test_a_process_that_will_not_end_is_killed(tmp_path):
    found = mp.spawn(stubborn, (tmp_path,), nprocs=2, join=False, start_method="fork")
    with pytest.raises(mp.ProcessRaisedException):
        while not found.join(grace_period=0.2):
            pass
    assert found.processes[0].exitcode == -signal.SIGKILL


def wait_in_turn(index, events):
    if index:
        events[index - 1].wait()


def test_join_respects_the_timeout(fork):
    event = fork.Event()
    found = mp.start_processes(wait_in_turn, ([event, event],), nprocs=3, join=False, start_method="fork")
    assert isinstance(found, mp.ProcessContext) and len(found.pids()) == 3
    assert found.join(timeout=0.01) is False
    event.set()
    while not found.join():
        pass
    assert found.join() is True


def test_join_with_a_timeout_waits_for_all_of_them(fork):
    """The end of one process must not end the wait early."""
    events = [fork.Event(), fork.Event()]
    found = mp.start_processes(wait_in_turn, (events,), nprocs=3, join=False, start_method="fork")
    events[0].set()
    begun = time.monotonic()
    assert found.join(timeout=0.5) is False
    assert time.monotonic() - begun >= 0.5
    threading.Timer(0.1, events[1].set).start()
    assert found.join(timeout=600) is True


def fail_late(index, event):
    if index:
        event.wait()
        raise KeyError("late")


def test_join_with_a_timeout_reports_a_failure_at_once(fork):
    event = fork.Event()
    found = mp.start_processes(fail_late, (event,), nprocs=2, join=False, start_method="fork")
    threading.Timer(0.1, event.set).start()
    begun = time.monotonic()
    with raises(mp.ProcessRaisedException, "spawn", "fail_late"):
        found.join(timeout=1000)
    assert time.monotonic() - begun < 600


def test_descriptors_are_closed_with_the_processes():
    mp.spawn(abs, nprocs=2, start_method="fork")
    gc.collect()  # earlier tests may have left some
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        mp.spawn(abs, nprocs=2, start_method="fork")
    assert len(os.listdir("/proc/self/fd")) <= before  # some of which may have ended meanwhile


def test_arguments_in_a_list():
    assert mp.spawn(lambda index, text: text == "x" or sys.exit(3), args=["x"], start_method="fork") is None


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        ((3,), TypeError, "spawn: expected fn to be a function; got int"),
        ((abs, 3), TypeError, "spawn: expected args to be a tuple, as in (x,); got int"),
        ((abs, (), 0), ValueError, "spawn: expected nprocs to be an integer of at least 1; got 0"),
        ((abs, (), 1.5), ValueError, "spawn: got 1.5"),
        ((abs, (), 1, True, False, "thread"), ValueError, "get_context: one of fork, spawn, forkserver; got 'thread'"),
    ],
)
def test_invalid_arguments(arguments, kind, said):
    with raises(kind, said):
        mp.spawn(*arguments)


def run(program, tmp_path, *arguments, **options):
    path = tmp_path / "program.py"
    path.write_text(program)
    return subprocess.run([sys.executable, path, *arguments], capture_output=True, text=True, timeout=600, **options)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_script_without_a_guard_gets_a_hint(method, tmp_path):
    program = """
import sys
import threading
import facula_multiprocessing as mp
def work(index):
    pass
mp.spawn(work, start_method=sys.argv[1])
"""
    done = run(program, tmp_path, method)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "before it ran the function" in last and "`if __name__ == '__main__':`" in last
    assert "starts processes while it is imported" in done.stderr


TYPED = """
import facula_multiprocessing as mp
class Mine: pass
def work(*arguments): return arguments

context = mp.get_context("{method}")
{begin}
try:
    {action}
except RuntimeError as error:
    print(error)
print("went on")
{end}
"""
TYPED_ACTIONS = {
    "spawn": ("", "mp.spawn(work, (Mine(),), start_method=context.get_start_method())", ""),
    "argument, deep within": ("", 'context.Process(target=print, args=([{"x": [Mine()]}],)).start()', ""),
    "function of a pool": ("pool = context.Pool(1)", "pool.map(work, [1])", "pool.terminate()"),
    "argument of a pool": ("pool = context.Pool(1)", "pool.map(repr, [Mine()])", "pool.terminate()"),
    "Queue": ("", 'context.Queue().put(["__main__", Mine()])', ""),
    "SimpleQueue": ("", "context.SimpleQueue().put(Mine())", ""),
}


@pytest.mark.parametrize("kind", TYPED_ACTIONS)
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_names_typed_into_an_interpreter_are_reported(method, kind):
    begin, action, end = TYPED_ACTIONS[kind]
    program = TYPED.format(method=method, begin=begin, action=action, end=end)
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, timeout=600)
    name = "work" if "work" in action else "Mine"
    assert f"'{name}' was typed into a notebook or an interpreter" in done.stdout, done.stderr
    assert "write it into a file" in done.stdout and "'fork'" in done.stdout and "went on" in done.stdout


def test_interactive_names_are_sent_to_forks_and_similar_text_everywhere():
    program = TYPED.format(
        method="fork", begin="import pickle", action="print(len(context.Pool(1).map(work, [Mine()])))", end=""
    )
    program += """
queue = mp.get_context("spawn").Queue()
queue.put(["__main__", "work", b"__main__"])
print(queue.get())
"""
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, timeout=600)
    assert done.stdout == "1\nwent on\n['__main__', 'work', b'__main__']\n", done.stderr


def test_processes_end_when_the_parent_is_killed(method, tmp_path):
    program = """
import os, sys, time
import facula_multiprocessing as mp
def work(index):
    os.write(1, b"%d\\n" % os.getpid())  # at once, as two write
    time.sleep(1000)
if __name__ == "__main__":
    mp.spawn(work, nprocs=2, start_method=sys.argv[1])
"""
    path = tmp_path / "program.py"
    path.write_text(program)
    parent = subprocess.Popen([sys.executable, path, method], stdout=subprocess.PIPE, text=True)
    pids = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + 600
    while any(alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(alive(pid) for pid in pids)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Mine(mp.Process):
    """A process of a custom class, with attributes."""

    def __init__(self, outbox):
        super().__init__()
        self.outbox, self.data = outbox, np.arange(10_000)

    def run(self):
        self.outbox.put(int(self.data.sum()))


def test_classes_of_processes():
    outbox = mp.Queue()
    process = Mine(outbox)
    process.start()
    assert outbox.get() == sum(range(10_000))
    process.join()


def test_the_names_of_multiprocessing_are_here():
    missing = {name for name in multiprocessing.__all__ if name not in mp.__all__}
    assert missing <= {"reducer", "set_executable", "allow_connection_pickling"}, missing
    assert mp.get_start_method() == multiprocessing.get_start_method()
    assert mp.get_all_start_methods() == multiprocessing.get_all_start_methods()
    with raises(ValueError, "get_context", "expected one of fork, spawn, forkserver", value="'x'"):
        mp.get_context("x")


def get_and_put(inner):
    inner["x"] = np.arange(5000) + inner["x"]


def test_managers():
    with mp.Manager() as manager:
        shared = manager.dict(x=np.ones(5000))
        process = mp.Process(target=get_and_put, args=(shared,))
        process.start()
        process.join()
        assert shared["x"][-1] == 5000


def hold_lock(lock, event, value):
    with lock:
        value.value += 1
    event.set()


def test_locks_and_values_travel(method):
    context = mp.get_context(method)
    lock, event, value = context.Lock(), context.Event(), context.Value("i", 0)
    process = context.Process(target=hold_lock, args=(lock, event, value))
    process.start()
    assert event.wait(600) and value.value == 1
    process.join()


def send_on(end):
    end.recv().send("through two")


def test_connections_travel(method):
    context = mp.get_context(method)
    ours, theirs = context.Pipe()
    process = context.Process(target=send_on, args=(theirs,))
    process.start()
    read, write = context.Pipe(duplex=False)
    ours.send(write)
    assert read.recv() == "through two"
    process.join()


def test_sharing_strategies():
    assert mp.get_sharing_strategy() in mp.get_all_sharing_strategies()
    with raises(ValueError, "set_sharing_strategy", "expected one of file_descriptor, file_system", value="'x'"):
        mp.set_sharing_strategy("x")
