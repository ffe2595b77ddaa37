"""Observers of loaders: the waiting time of the program, and the times of workers."""

import os
import time

import numpy as np
import pytest

from facula_data import DataLoader
from facula_data.extend import observe_loaders

SECONDS = 0.02


class Slow:
    """A dataset whose samples take a known time; sample 5 may fail."""

    def __init__(self, fails=False):
        self.fails = fails

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if self.fails and index == 5:
            raise ValueError("bad sample")
        time.sleep(SECONDS)
        return np.float32(index)


class Observer:
    def __init__(self):
        self.waits, self.batches = [], []

    def waited(self, begin, end, samples):
        self.waits.append((begin, end, samples))

    def made(self, loader, worker, pid, begin, end):
        self.batches.append((loader, worker, pid, begin, end))


@pytest.fixture
def observer():
    new = Observer()
    former = observe_loaders(new)
    yield new
    observe_loaders(former)


def test_making_batches_in_the_program_is_waiting(observer):
    before = time.perf_counter_ns()
    assert len(list(DataLoader(Slow(), batch_size=3))) == 3
    after = time.perf_counter_ns()
    assert [samples for _, _, samples in observer.waits] == [3, 3, 2]
    times = [time for begin, end, _ in observer.waits for time in (begin, end)]
    assert times == sorted(times)
    assert before <= times[0] <= times[-1] <= after
    assert all(end - begin >= samples * SECONDS * 1e9 for begin, end, samples in observer.waits)
    assert not observer.batches


@pytest.mark.parametrize("method", ["thread", "process"])
def test_times_of_workers(observer, method):
    before = time.perf_counter_ns()
    loader = DataLoader(Slow(), batch_size=2, num_workers=2, worker_method=method, meter=True)
    assert len(list(loader)) == 4
    after = time.perf_counter_ns()
    assert [samples for _, _, samples in observer.waits] == [2, 2, 2, 2]
    assert [worker for _, worker, *_ in observer.batches] == [0, 1, 0, 1]
    assert len({loader for loader, *_ in observer.batches}) == 1
    pids = {pid for _, _, pid, *_ in observer.batches}
    assert pids == {None} if method == "thread" else len(pids - {None, os.getpid()}) == 2
    for *_, begin, end in observer.batches:
        assert before <= begin <= end - 2 * SECONDS * 1e9
        assert end <= after
    busy = [sum(end - begin for _, one, _, begin, end in observer.batches if one == worker) / 1e9 for worker in (0, 1)]
    assert list(loader.report().epochs[0].busy) == pytest.approx(busy), "meters receive the same times"


def test_failed_batches_are_not_reported(observer):
    batches = iter(DataLoader(Slow(fails=True), batch_size=4, num_workers=1, worker_method="thread"))
    next(batches)
    with pytest.raises(ValueError, match="bad sample"):
        next(batches)
    assert len(observer.waits) == len(observer.batches) == 1


def test_observation_begins_and_ends_within_a_pass(observer):
    batches = iter(DataLoader(Slow(), batch_size=2, num_workers=2, worker_method="thread"))
    next(batches)
    assert observe_loaders(None) is observer
    next(batches)
    observe_loaders(observer)
    list(batches)
    assert [samples for _, _, samples in observer.waits] == [2, 2, 2]
    assert len(observer.batches) == 3
