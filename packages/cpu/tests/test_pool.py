"""The thread pool: forks, concurrent callers, changes of the number of threads, interpreter exit."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from kernel_helpers import plan, run

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises


@pytest.fixture(autouse=True)
def threads():
    """Restore the number of threads after each test."""
    before = get_num_threads()
    set_num_threads(4)
    yield
    set_num_threads(before)


def work(size=300_000):
    """Run work on the pool and return whether the result is correct."""
    a = np.arange(size, dtype="f4")
    return bool((run("mul", a, 2.0) == a * 2).all())


def test_invalid_thread_counts_are_refused():
    """Check the type and the range."""
    with raises(TypeError, "set_num_threads", "expected count to be an int"):
        set_num_threads("2")
    with raises(TypeError, "set_num_threads", "count"):
        set_num_threads(True)
    for count in (0, -1, 257):
        with raises(ValueError, "set_num_threads", value=count):
            set_num_threads(count)


def test_changing_the_number_of_threads():
    """Check correct results after each change, and the value of `get_num_threads`."""
    for count in (1, 4, 2, 8, 1, 3):
        set_num_threads(count)
        assert get_num_threads() == count
        for _ in range(20):
            assert work()


def test_work_after_workers_sleep():
    """Check that the pool wakes sleeping workers, or does not wait for them."""
    for _ in range(5):
        assert work()
        time.sleep(0.005)


def test_every_index_runs_once():
    """Sum a draw of all chunks, many times and of odd sizes: threads do not change the result."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        size = int(rng.integers(70_000, 200_000))
        a = rng.random(size, dtype="f4")
        out = np.full(size, -1, "f4")
        plan("add", [a, a], out).launch(size, a.ctypes.data, a.ctypes.data, out.ctypes.data)
        np.testing.assert_array_equal(out, a + a)


def test_concurrent_callers():
    """Run eight Python threads: one uses the pool, the others do their own work."""
    wrong = []

    def call():
        for _ in range(30):
            if not work(1_000_000):
                wrong.append(1)

    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_fork():
    """Check that a child starts its own workers, also if other threads compute during the fork."""
    assert work()
    stop = threading.Event()
    busy = threading.Thread(target=lambda: [work() for _ in iter(stop.is_set, True)])
    busy.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                os._exit(0 if all(work() for _ in range(5)) else 1)
            deadline = time.monotonic() + 600
            while (state := os.waitpid(child, os.WNOHANG))[0] == 0:
                assert time.monotonic() < deadline, "the child hangs"
                time.sleep(0.001)
            assert state[1] == 0
    finally:
        stop.set()
        busy.join()
    assert work()


SCRIPT = """
import sys, threading
sys.path.insert(0, {tests!r})
import numpy as np
from kernel_helpers import run
from facula_cpu import get_num_threads
a = np.arange(500_000, dtype="f4")
def forever():
    while True:
        run("add", a, a)
threading.Thread(target=forever, daemon=True).start()
assert (run("add", a, a) == a + a).all()
print(get_num_threads())
"""


@pytest.mark.parametrize("setting", ["1", "3", ""])
def test_environment_and_exit(setting):
    """Check FACULA_NUM_THREADS, and that a process can exit while the pool works."""
    script = SCRIPT.format(tests=os.path.dirname(__file__))
    environment = {**os.environ, "FACULA_NUM_THREADS": setting}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, timeout=600, text=True)
    assert done.returncode == 0, done.stderr
    assert 1 <= int(done.stdout) <= len(os.sched_getaffinity(0)) or setting
    if setting:
        assert int(done.stdout) == int(setting)


@pytest.mark.parametrize("setting", ["abc", "0", "-1", "2x", "257", "1.5"])
def test_invalid_settings_are_refused(setting):
    """Check that no kernel runs with an invalid FACULA_NUM_THREADS, and that the error names it."""
    environment = {**os.environ, "FACULA_NUM_THREADS": setting}
    for code in "get_num_threads()", "CpuBackend()":
        command = [sys.executable, "-c", f"import facula_cpu; facula_cpu.{code}"]
        done = subprocess.run(command, env=environment, capture_output=True, timeout=600, text=True)
        assert f"variable FACULA_NUM_THREADS to be a number from 1 to 256; got {setting!r}" in done.stderr


def test_signal_handlers_run_while_the_pool_works():
    """Check that workers block signals."""
    import signal

    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
    try:
        for _ in range(20):
            os.kill(os.getpid(), signal.SIGUSR1)
            assert work()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(seen) == 20
