"""Workers yield the same batches as this process does."""

import gc
import multiprocessing
import os
import random
import threading
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from facula_data import DataLoader, TensorDataset, get_worker_info
from facula_data._sample_errors import CollateError

pytest.importorskip("facula_multiprocessing")

from worker_helpers import PROCESSES, Odd, Rows, Stream, fail, gone, kinds, listed

from facula_errors.testing import raises


@kinds
@pytest.mark.parametrize("workers", [1, 3])
def test_batches_are_those_of_a_loader_without_workers(kind, workers):
    given_ = dict(batch_size=8, shuffle=True, generator=5)
    plain = DataLoader(Rows(), **given_)
    loader = DataLoader(Rows(), **given_, num_workers=workers, **kind)
    for _ in range(2):
        assert listed(loader) == listed(plain)
    assert loader.state_dict() == plain.state_dict()


@given(
    count=some.integers(1, 30),
    size=some.integers(1, 7),
    workers=some.integers(1, 4),
    cut=some.integers(0, 30),
    drop_last=some.booleans(),
    method=some.sampled_from(["thread", "process"]),
)
def test_any_number_of_workers_resumes_from_another(count, size, workers, cut, drop_last, method):
    data = TensorDataset(np.arange(count))
    given_ = dict(batch_size=size, drop_last=drop_last, shuffle=True, generator=3)
    whole = [i for (b,) in DataLoader(data, **given_) for i in b.tolist()]
    first = DataLoader(data, num_workers=workers, worker_method="thread", **given_)
    batches = iter(first)
    seen = [i for _, (b,) in zip(range(cut), batches, strict=False) for i in b.tolist()]
    again = DataLoader(data, num_workers=workers % 4 + 1, worker_method=method, **given_)
    again.load_state_dict(first.state_dict())
    if first.state_dict()["epoch"] == 0:
        assert seen + [i for (b,) in again for i in b.tolist()] == whole


@kinds
def test_streams(kind):
    loader = DataLoader(Stream(20), batch_size=3, num_workers=2, **kind)
    batches = [batch.tolist() for batch in loader]
    assert batches == [[0, 2, 4], [1, 3, 5], [6, 8, 10], [7, 9, 11], [12, 14, 16], [13, 15, 17], [18], [19]]
    assert loader.state_dict()["epoch"] == 1


@kinds
def test_errors_keep_their_type_and_name_the_place(kind):
    loader = DataLoader(Odd(12, fail), batch_size=8, num_workers=2, **kind)
    batches = iter(loader)
    assert next(batches)["index"].tolist() == list(range(8))
    with pytest.raises(ZeroDivisionError, match="by design") as caught:
        next(batches)
    notes = "\n".join(caught.value.__notes__)
    assert "__getitem__(12)" in notes
    if "worker_method" not in kind:
        assert "worker 1" in notes and "in fail" in notes
    assert loader.state_dict()["position"] == 8
    assert next(batches)["index"].tolist() == list(range(16, 24))
    assert loader.state_dict()["skipped"] == [[8, 16]]


def test_an_error_that_cannot_be_sent_is_described():
    class Unsendable(Exception):
        def __reduce__(self):
            raise TypeError

    def raising():
        raise Unsendable("hidden")

    with raises(RuntimeError, "DataLoader", "Unsendable") as caught:
        list(DataLoader(Odd(3, raising), batch_size=8, num_workers=1, **PROCESSES))
    assert "hidden" in caught.value.__notes__[0]


def test_all_batches_can_be_held_at_once():
    batches = list(DataLoader(Rows(200, 2000), batch_size=8, num_workers=2, **PROCESSES))
    assert [batch["index"].tolist() for batch in batches] == [list(range(i, i + 8)) for i in range(0, 200, 8)]
    for first, batch in enumerate(batches):
        np.testing.assert_array_equal(batch["row"], Rows(200, 2000).values[8 * first : 8 * first + 8])


def test_memory_is_reused_after_the_last_view():
    loader = DataLoader(Rows(400, 2000), batch_size=8, num_workers=1, persistent_workers=True, **PROCESSES)
    kept, addresses = None, set()
    for number, batch in enumerate(loader):
        if number == 2:
            kept, copy = memoryview(batch["row"])[1:3], batch["row"].copy()
        addresses.add(batch["row"].ctypes.data)
        del batch
    assert len(addresses) < 10
    np.testing.assert_array_equal(kept, copy[1:3])


def test_a_forked_child_keeps_its_batch():
    loader = iter(DataLoader(Rows(400, 2000), batch_size=8, num_workers=1, **PROCESSES))
    batch = next(loader)
    expected = batch["row"].copy()
    ready, told = os.pipe()
    child = os.fork()
    if not child:
        os.read(ready, 1)
        os._exit(0 if (batch["row"] == expected).all() else 1)
    del batch
    for _ in loader:
        pass
    os.write(told, b"x")
    assert os.waitpid(child, 0)[1] == 0
    os.close(ready), os.close(told)


def children():
    return {child.pid for child in multiprocessing.active_children()}


def test_persistent_workers_stay_and_others_do_not():
    others = children()
    kept = DataLoader(Rows(), batch_size=8, num_workers=2, persistent_workers=True, **PROCESSES)
    list(kept)
    pids = children() - others
    list(kept)
    assert len(pids) == 2 and children() - others == pids
    del kept
    gc.collect()
    assert gone(pids)


def test_an_abandoned_pass_does_not_mix_with_the_next():
    loader = DataLoader(Rows(), batch_size=4, num_workers=2, persistent_workers=True, **PROCESSES)
    for _ in range(5):
        old = iter(loader)
        assert next(old)["index"].tolist() == [0, 1, 2, 3]
        new = iter(loader)
        assert [b["index"][0] for b in new] == list(range(0, 40, 4))
        with raises(RuntimeError, "DataLoader", "this pass ended"):
            next(old)


class Randoms(Rows):
    def __getitem__(self, index):
        return np.random.rand(), random.random(), get_worker_info().seed & 0xFFFF


def test_workers_draw_different_numbers_and_the_same_each_time():
    def numbers():
        return np.stack([np.stack(b) for b in DataLoader(Randoms(), 4, generator=1, num_workers=2, **PROCESSES)])

    once = numbers()
    np.testing.assert_array_equal(once, numbers())
    assert len(np.unique(once[:, 0])) == 40


def note(path, worker):
    with open(path, "a") as file:
        file.write(f"{worker}\n")


@kinds
def test_worker_init_fn_runs_once_in_each_worker(kind, tmp_path):
    path = tmp_path / "began"
    loader = DataLoader(
        Rows(), batch_size=8, num_workers=3, worker_init_fn=partial(note, path), persistent_workers=True, **kind
    )
    list(loader), list(loader)
    assert sorted(path.read_text().split()) == ["0", "1", "2"]


def test_nothing_is_left_open():
    def descriptors():
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    list(DataLoader(Rows(), batch_size=8, num_workers=2, **PROCESSES))
    before = descriptors()
    for _ in range(10):
        for _batch in DataLoader(Rows(), batch_size=8, num_workers=2, **PROCESSES):
            break
        del _batch
    assert descriptors() <= before


def test_workers_compute_with_one_thread_and_collation_errors_name_samples():
    class Uneven(Rows):
        def __getitem__(self, index):
            return np.zeros(index % 5)

    with raises(CollateError, "default_collate", "sample 1 of the dataset"):
        list(DataLoader(Uneven(), batch_size=8, num_workers=1, **PROCESSES))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"num_workers": -1}, "num_workers"),
        ({"num_workers": 1.5}, "num_workers"),
        ({"num_workers": 2, "timeout": -1}, "timeout"),
        ({"num_workers": 2, "timeout": "1"}, "timeout"),
        ({"num_workers": 2, "prefetch_factor": 0}, "prefetch_factor"),
        ({"num_workers": 2, "multiprocessing_context": "threads"}, "multiprocessing_context"),
        ({"num_workers": 2, "multiprocessing_context": 3}, "multiprocessing_context"),
        ({"num_workers": 2, "worker_method": "fiber"}, "worker_method"),
        ({"prefetch_factor": 2}, "num_workers=0"),
        ({"persistent_workers": True}, "num_workers=0"),
    ],
)
def test_wrong_arguments(wrong, said):
    with raises((ValueError, TypeError), "DataLoader", said):
        DataLoader(Rows(), **wrong)


@given(
    count=some.integers(0, 30),
    size=some.integers(1, 4),
    workers=some.integers(1, 4),
    cut=some.integers(0, 12),
    drop_last=some.booleans(),
)
def test_streams_resume_with_the_same_number_of_workers(count, size, workers, cut, drop_last):
    def loader():
        return DataLoader(Stream(count), size, drop_last=drop_last, num_workers=workers, worker_method="thread")

    whole = [batch.tolist() for batch in loader()]
    first, again, other = loader(), loader(), DataLoader(Stream(count), size, num_workers=workers % 4 + 1)
    seen = [batch.tolist() for _, batch in zip(range(cut), first, strict=False)]
    state = first.state_dict()
    if state["position"]:
        with raises(ValueError, "load_state_dict", "each its own copy"):
            other.load_state_dict(state)
    again.load_state_dict(state)
    if not state["epoch"]:
        assert seen + [batch.tolist() for batch in again] == whole


@kinds
def test_threads_of_the_program_may_share_a_pass(kind):
    batches = iter(DataLoader(range(600), 2, num_workers=2, **kind))
    found = []

    def take():
        for batch in batches:
            found.extend(batch.tolist())

    threads = [threading.Thread(target=take, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert sorted(found) == list(range(600))
