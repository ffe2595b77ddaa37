"""Observers of the thread pool: events of jobs, changes of the observer while jobs run, forks."""

import ctypes
import os
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from kernel_helpers import run

from facula_cpu import get_num_threads, set_num_threads
from facula_cpu.extend import observe_jobs

FIELDS = ("kind", "worker", "start", "end", "job")
SIZE = 1 << 16


class Observer:
    """The observer in pool_observer.c."""

    def __init__(self, library):
        self.library = library
        self.address = ctypes.cast(library.observe, ctypes.c_void_p).value
        self.count = ctypes.c_int64.in_dll(library, "count")
        self.closed = ctypes.c_int.in_dll(library, "closed")
        self.late_calls = ctypes.c_int64.in_dll(library, "late_calls")
        self.count.value = self.closed.value = self.late_calls.value = 0

    @property
    def events(self):
        kind = np.dtype([(name, "i8") for name in FIELDS])
        memory = (ctypes.c_char * (SIZE * kind.itemsize)).in_dll(self.library, "events")
        return np.frombuffer(memory, kind)[: self.count.value].copy()


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    source = Path(__file__).with_name("pool_observer.c")
    target = tmp_path_factory.mktemp("observer") / "observer.so"
    subprocess.run([*os.environ.get("CC", "cc").split(), "-O1", "-shared", "-fPIC", "-o", target, source], check=True)
    return ctypes.CDLL(str(target))


@pytest.fixture
def observer(library):
    """Observe jobs of four threads."""
    before, new = get_num_threads(), Observer(library)
    set_num_threads(4)
    former = observe_jobs(new.address)
    yield new
    observe_jobs(former)
    set_num_threads(before)


def work(size=300_000):
    """Run a job and return whether the result is correct."""
    a = np.arange(size, dtype="f4")
    return bool((run("mul", a, 2.0) == a * 2).all())


def test_parts_of_a_job(observer):
    before = time.monotonic_ns()
    for _ in range(50):
        assert work(3_000_000)
    after = time.monotonic_ns()
    events = observer.events
    assert set(events["kind"]) == {8}
    assert set(events["worker"]) > {0}, "several threads worked"
    assert set(events["worker"]) <= {0, 1, 2, 3}
    assert ((events["start"] >= before) & (events["start"] <= events["end"]) & (events["end"] <= after)).all()
    jobs = np.unique(events["job"])
    assert len(jobs) == 50
    for job in jobs:
        parts = events[events["job"] == job]
        assert len(parts) == len(set(parts["worker"])), "one part for each thread"
    for worker in range(4):
        parts = np.sort(events[events["worker"] == worker], order="start")
        assert (parts["end"][:-1] <= parts["start"][1:]).all(), "a thread does one part at a time"


def test_work_of_one_thread_is_no_job(observer):
    set_num_threads(1)
    assert work()
    set_num_threads(4)
    assert work(100)
    assert not len(observer.events)


def test_changes_while_jobs_run(observer):
    """A former observer is not called any more once `observe_jobs` has returned."""
    stop, wrong = threading.Event(), []

    def call():
        while not stop.is_set():
            if not work():
                wrong.append(1)

    callers = [threading.Thread(target=call) for _ in range(3)]
    for caller in callers:
        caller.start()
    try:
        for _ in range(300):
            assert observe_jobs(0) == observer.address
            observer.closed.value = 1
            time.sleep(0.0001)
            observer.closed.value = 0
            assert observe_jobs(observer.address) == 0
            time.sleep(0.0001)
    finally:
        stop.set()
        for caller in callers:
            caller.join()
    assert not wrong
    assert observer.count.value
    assert not observer.late_calls.value


def test_forked_children_have_no_observer(observer):
    assert work()
    child = os.fork()
    if child == 0:
        count = observer.count.value
        os._exit(0 if work() and observer.count.value == count and observe_jobs(0) == 0 else 1)
    assert os.waitpid(child, 0)[1] == 0
    count = observer.count.value
    assert work()
    assert observer.count.value > count
