"""Datasets and kinds of workers for tests."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from facula_data import IterableDataset, get_worker_info

pytest.importorskip("facula_multiprocessing")

KINDS = [
    {"worker_method": "thread"},
    {"multiprocessing_context": "fork"},
    {"multiprocessing_context": "forkserver"},
    {"multiprocessing_context": "spawn"},
]
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(next(iter(kind.values()))))
PROCESSES = {"multiprocessing_context": "fork"}


class Rows:
    """Rows of numbers, large enough for shared memory in batches of 8."""

    def __init__(self, count=40, width=500):
        self.values = np.arange(count * width, dtype=np.float32).reshape(count, width)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return {"row": self.values[index], "index": index, "name": f"row {index}"}


class Odd(Rows):
    """A dataset with a failure at one index."""

    def __init__(self, at, what):
        super().__init__()
        self.at, self.what = at, what

    def __getitem__(self, index):
        if index == self.at:
            self.what()
        return super().__getitem__(index)


class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, self.count, step))


def listed(batches):
    return [{name: part if isinstance(part, list) else part.tolist() for name, part in b.items()} for b in batches]


def fail():
    raise ZeroDivisionError("by design")


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def leave():
    os._exit(3)


def state(pid):
    """Return the kernel's letter for a process's state; Z if it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def alive(pid):
    """Return whether a process is running; an ended process that was not joined is not."""
    return state(pid) != "Z"


def gone(pids):
    """Return whether the processes end; a busy machine may take minutes."""
    return eventually(lambda: not any(map(alive, pids)))


def eventually(condition):
    until = time.monotonic() + 600
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()
