"""Workers end with the interrupted cell of a notebook: IPython keeps the frames that own them."""

import multiprocessing
import sys
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from facula_data import DataLoader, IterableDataset
from facula_errors.testing import raises


class Endless(IterableDataset):
    """A stream."""

    def __iter__(self):
        return iter(range(10**6))


class Shell:
    """The part of IPython that workers use."""

    def __init__(self):
        self.registered = []
        self.events = self

    def register(self, event, function):
        assert event == "post_run_cell"
        if function not in self.registered:
            self.registered.append(function)

    def end(self, error):
        for function in self.registered:
            function(SimpleNamespace(error_in_exec=error))


@pytest.fixture
def shell(monkeypatch):
    found = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: found))
    return found


def workers():
    """Return the names of all workers that run."""
    everything = [*multiprocessing.active_children(), *threading.enumerate()]
    return sorted(one.name for one in everything if one.name.startswith("facula worker"))


def interrupt(shell):
    """End a cell by KeyboardInterrupt, and wait until all workers have ended: threads finish their batches first."""
    shell.end(KeyboardInterrupt())
    until = time.monotonic() + 10
    while workers() and time.monotonic() < until:
        time.sleep(0.01)
    assert workers() == []


@pytest.mark.parametrize("dataset", [np.arange(100), Endless()], ids=["indices", "stream"])
@pytest.mark.parametrize("options", [{}, {"persistent_workers": True}, {"worker_method": "thread"}])
def test_interrupted_cells_stop_workers(shell, dataset, options):
    loader = DataLoader(dataset, batch_size=5, num_workers=2, **options)
    begun = iter(loader)
    next(begun)
    shell.end(None)
    shell.end(ValueError("of the program"))
    next(begun)
    assert workers() == ["facula worker 0", "facula worker 1"]
    interrupt(shell)
    for _ in range(2):
        with raises(RuntimeError, "DataLoader", "ended when a cell was interrupted", "iterate over the loader again"):
            next(begun)
    again = iter(loader)
    assert len(next(again)) == 5
    assert workers() == ["facula worker 0", "facula worker 1"]
    interrupt(shell)
