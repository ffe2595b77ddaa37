"""Iterable datasets with a state: it is part of the loader's state, and resuming does not read samples again."""

import itertools
import json
import os
import signal
import threading

import numpy as np
import pytest
from file_helpers import tar_bytes
from hypothesis import given, settings
from hypothesis import strategies as some

from facula_data import DataLoader, IterableDataset, get_worker_info
from facula_data._workers.worker_errors import WorkerError
from facula_data.files import TarShards
from facula_data.transforms import FilterIterable, MapIterable
from facula_errors.testing import raises

KINDS = {
    "inline": {},
    "one thread": {"num_workers": 1, "worker_method": "thread"},
    "threads": {"num_workers": 2, "worker_method": "thread"},
    "more threads": {"num_workers": 3, "worker_method": "thread"},
    "a process": {"num_workers": 1, "multiprocessing_context": "fork"},
    "processes": {"num_workers": 2, "multiprocessing_context": "fork"},
    "more processes": {"num_workers": 3, "multiprocessing_context": "fork"},
}
kinds = pytest.mark.parametrize("kind", KINDS)


class Words(IterableDataset):
    """Every n-th number, and the count of numbers read by this iteration; uneven shares for the workers."""

    def __init__(self, count):
        self.count, self.start, self.given, self.what = count, 0, 0, {"note": []}

    def __iter__(self):
        start, self.start = self.start, 0
        self.given = start
        return self._from(start)

    def _from(self, start):
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        own = [number for number in range(self.count) if number % (2 * workers - 1) % workers == worker]
        for read, number in enumerate(own[start:], 1):
            self.given += 1
            self.what["note"] = [number]  # modified in place, as careless programs do
            yield np.array([number, read])

    def state_dict(self):
        return {"given": self.given, **self.what}

    def load_state_dict(self, state):
        if not isinstance(state, dict) or "given" not in state:
            raise ValueError(f"Words: expected given; got {state}")
        self.start = self.given = state["given"]


def plain(batches):
    return [np.asarray(batch).tolist() for batch in batches]


def samples(batches):
    return [number for batch in batches for number, _ in np.reshape(batch, (-1, 2)).tolist()]


def restored(state):
    return json.loads(json.dumps(state))


@kinds
@settings(max_examples=12)
@given(
    count=some.integers(0, 25),
    size=some.sampled_from([None, 1, 2, 5]),
    drop=some.booleans(),
    cut=some.integers(0, 14),
    again=some.integers(0, 5),
)
def test_a_resume_gives_the_next_samples_and_reads_no_other(kind, count, size, drop, cut, again):
    def loader():
        return DataLoader(Words(count), size, drop_last=drop and size is not None, **KINDS[kind])

    whole = samples(loader())
    first = loader()
    seen = samples(itertools.islice(first, cut))
    state = restored(first.state_dict())
    second = loader()
    second.load_state_dict(state)
    assert restored(second.state_dict()) == state
    if not state["epoch"]:
        batches = iter(second)
        taken = list(itertools.islice(batches, again))
        seen += samples(taken)
        read = [pair[1] for pair in np.reshape(np.concatenate(taken), (-1, 2)).tolist()] if taken else []
        assert all(number <= size_of(taken) for number in read), "what came before was not read again"
        third = loader()
        third.load_state_dict(restored(second.state_dict()))
        if not third.state_dict()["epoch"]:
            assert seen + samples(third) == whole
    assert samples(loader()) == whole


def size_of(batches):
    return sum(np.size(batch) // 2 for batch in batches)


@kinds
def test_the_state_counts_delivered_samples(kind):
    loader = DataLoader(Words(30), 3, **KINDS[kind])
    batches, delivered = iter(loader), []
    for batch in batches:
        delivered += batch[:, 0].tolist()
        states = loader.state_dict()["datasets"]
        assert sum(state["given"] for state in states if state) == len(delivered) == loader.state_dict()["position"]
        assert delivered[-1] in [number for state in states if state for number in state["note"]]
    assert "datasets" not in loader.state_dict()
    assert samples(loader) == delivered, "the next epoch begins at the beginning"


@kinds
@pytest.mark.parametrize("cut", range(6))
def test_states_are_kept_over_a_batch_that_failed(kind, cut):
    broken = True

    def collate(batch):
        if broken and any(row[0] == 7 for row in batch):
            raise OSError("disk")
        return np.array(batch)

    whole = samples(DataLoader(Words(20), 2, **KINDS[kind]))
    loader = DataLoader(Words(20), 2, collate_fn=collate, **KINDS[kind])
    seen, lost, failed = [], [], 0
    batches = iter(loader)
    for _ in range(cut):
        try:
            seen += samples([next(batches)])
        except OSError:
            failed += 1
    state = restored(loader.state_dict())
    skipped = sum(end - begin for begin, end in state.get("skipped", []))
    assert state["position"] == len(seen) + skipped and skipped <= 2 * failed
    broken = False
    again = DataLoader(Words(20), 2, collate_fn=collate, **KINDS[kind])
    again.load_state_dict(state)
    rest = samples(again)
    assert len(seen) + skipped + len(rest) == 20
    lost = set(whole) - set(seen) - set(rest)
    assert len(lost) == skipped and len({*seen, *rest}) == len(seen) + len(rest)


class Broken(Words):
    """An iterator that ends with an error, in one worker."""

    def _from(self, start):
        for sample in super()._from(start):
            if sample[0] == 5:
                raise OSError("network")
            yield sample


@kinds
def test_a_stream_that_an_error_ended_has_not_finished_the_epoch(kind):
    loader = DataLoader(Broken(12), 1, **KINDS[kind])
    batches, errors, seen = iter(loader), 0, []
    while True:
        try:
            seen += samples([next(batches)])
        except OSError as error:
            assert "raised by the iterator of Broken at sample" in "\n".join(error.__notes__)
            errors += 1
        except StopIteration:
            break
    state = loader.state_dict()
    assert errors == 1 and state["epoch"] == 0 and state["position"] == len(seen) < 12
    again = DataLoader(Words(12), 1, **KINDS[kind])
    again.load_state_dict(state)
    assert sorted(seen + samples(again)) == list(range(12))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"datasets": 3}, "a list of 1, ... got 3"),
        ({"datasets": []}, "a list of 1"),
        ({"datasets": [{}, {}]}, "a list of 1"),
        ({"datasets": [threading.Lock()]}, "pickle"),
        ({"streams": [2, 2, 0]}, "of 2 workers"),
    ],
)
def test_invalid_states_change_nothing(change, said):
    loader = DataLoader(Words(9), 2)
    batches = iter(loader)
    next(batches)
    state = {**loader.state_dict(), "position": 4}
    before = loader.state_dict()
    with raises(ValueError, "load_state_dict", said):
        loader.load_state_dict({**state, **change})
    assert loader.state_dict() == before and plain(batches)[0] == [[2, 3], [3, 4]]


def test_a_state_needs_a_dataset_that_takes_it():
    loader = DataLoader(Words(9), 2)
    next(iter(loader))
    state = loader.state_dict()
    for other in (MapIterable(range(9), str), range(9)):
        with raises(ValueError, "load_state_dict", "lacks them"):
            DataLoader(other, 2).load_state_dict(state)
    again = DataLoader(Words(9), 2)
    again.load_state_dict({**state, "datasets": [{"other": 1}]})
    with pytest.raises(ValueError, match="Words: expected given"):
        iter(again)
    again.load_state_dict({name: value for name, value in state.items() if name != "datasets"})
    assert samples(again) == list(range(2, 9)), "without a state of the dataset, what came before is read again"


@pytest.mark.parametrize("kind", ["inline", "threads", "processes"])
def test_a_state_that_cannot_be_pickled_is_an_error(kind):
    class Holding(Words):
        def state_dict(self):
            return {"lock": threading.Lock()}

    with raises(TypeError, "DataLoader", "Holding.state_dict() to return a value that pickle"):
        list(DataLoader(Holding(4), 2, **KINDS[kind]))


def test_threads_need_a_copy_of_a_dataset_with_a_state():
    dataset = Words(4)
    dataset.lock = threading.Lock()
    with raises(TypeError, "DataLoader", "a copy of Words per thread"):
        list(DataLoader(dataset, 2, **KINDS["threads"]))


def jittered(sample, *, rng):
    return [sample[0], rng.integers(1 << 40), rng.integers(1 << 40)]


@kinds
@pytest.mark.parametrize("cut", [0, 1, 4])
@pytest.mark.parametrize("size", [None, 2])
def test_random_transforms_of_a_stream_repeat_and_resume(kind, cut, size):
    def numbers(batches):
        return [tuple(one) for batch in batches for one in np.reshape(np.array(batch).T, (-1, 3)).tolist()]

    def loader(**state):
        made = DataLoader(MapIterable(Words(20), jittered), size, **KINDS[kind])
        made.load_state_dict({"seed": 5, "epoch": 1, "position": 0, **state})
        return made

    whole = numbers(loader())
    assert whole == numbers(loader()) and len({one[1:] for one in whole}) == 20
    assert not {one[1:] for one in numbers(loader(seed=6)) + numbers(loader(epoch=2))} & {one[1:] for one in whole}
    first = loader()
    seen = numbers(itertools.islice(first, cut))
    state = first.state_dict()
    assert seen + numbers(loader(**state)) == whole
    del state["datasets" if cut else "epoch"]
    assert seen + numbers(loader(**state)) == whole, "read again, as without a state of the dataset"


def negative(sample):
    return -sample


def odd(sample):
    return sample[0] % 2


def negatives(dataset):
    return MapIterable(dataset, negative)


def negative_odds(dataset):
    return MapIterable(FilterIterable(dataset, odd), negative)


@kinds
@pytest.mark.parametrize("wrap", [negatives, negative_odds])
def test_functions_of_a_dataset_have_its_state(kind, wrap):
    whole = samples(DataLoader(wrap(Words(20)), 2, **KINDS[kind]))
    loader = DataLoader(wrap(Words(20)), 2, **KINDS[kind])
    seen = samples(itertools.islice(loader, 3))
    state = restored(loader.state_dict())
    assert len(state["datasets"]) == max(1, len(state.get("streams", [])) - 1)
    again = DataLoader(wrap(Words(20)), 2, **KINDS[kind])
    again.load_state_dict(state)
    assert seen + samples(again) == whole


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Return four archives of 0, 3, 1 and 5 samples."""
    folder, paths, number = tmp_path_factory.mktemp("shards"), [], 0
    for place, count in enumerate([0, 3, 1, 5]):
        members = [(f"{one}.cls", str(one).encode()) for one in range(number, number + count)]
        number += count
        paths.append(folder / f"{place}.tar")
        paths[-1].write_bytes(tar_bytes(members))
    return paths


@kinds
@settings(max_examples=10)
@given(count=some.integers(1, 4), size=some.integers(1, 3), cut=some.integers(0, 9), world=some.integers(1, 3))
def test_archives_resume(archives, kind, count, size, cut, world):
    def loader():
        return DataLoader(TarShards(archives[-count:], shard=(world - 1, world)), size, **KINDS[kind])

    def labels(batches):
        return [label for batch in batches for label in batch["cls"].tolist()]

    first, again = loader(), loader()
    whole = labels(first)
    seen = labels(itertools.islice(first, cut))
    state = restored(first.state_dict())
    again.load_state_dict(state)
    if state["epoch"] == 1:
        assert seen + labels(again) == whole


def test_archives_are_not_decoded_again(archives):
    decoded = []

    def label(data):
        decoded.append(int(data))
        return int(data)

    data = TarShards(archives, {"cls": label})
    assert [sample["cls"] for sample in itertools.islice(data, 6)] == list(range(6))
    state = data.state_dict()
    assert state == {"part": 0, "parts": 1, "archive": 3, "sample": 2, "before": 4}
    other = TarShards(archives, {"cls": label})
    other.load_state_dict(state)
    assert other.state_dict() == state
    decoded.clear()
    assert [sample["cls"] for sample in other] == decoded == [6, 7, 8]
    assert len(list(other)) == 9, "the next iteration begins at the beginning"
    for wrong, said in (
        (3, "a state with"),
        ({**state, "more": 1}, "a state with"),
        ({**state, "sample": -1}, "sample=-1"),
        ({**state, "archive": 4}, "archive to be below 4"),
        ({**state, "parts": 2}, "part 0 of 2"),
    ):
        with raises(ValueError, "TarShards", said):
            other.load_state_dict(wrong)
    assert len(list(other)) == 9


def test_a_state_given_to_the_archives_themselves_is_for_this_process(archives):
    data = TarShards(archives)
    state = data.state_dict()
    data.load_state_dict({**state, "archive": 3, "before": 4})
    with raises(ValueError, "TarShards", "expected the state of part 0 of 2", value="part 0 of 1"):
        list(DataLoader(data, num_workers=2, multiprocessing_context="fork"))
    assert [batch["cls"].tolist() for batch in DataLoader(data, 3)] == [[4, 5, 6], [7, 8]]
    assert len(list(DataLoader(data))) == 9


class Dying(Words):
    """A stream whose worker is killed, until a file exists."""

    def __init__(self, count, path):
        super().__init__(count)
        self.path = path

    def _from(self, start):
        for sample in super()._from(start):
            if sample[0] == 6 and not self.path.exists():
                self.path.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield sample


@pytest.mark.parametrize("context", ["fork", "forkserver"])
def test_a_stream_with_a_killed_worker_resumes_from_its_state(context, tmp_path):
    def loader():
        return DataLoader(Dying(20, tmp_path / "died"), 2, num_workers=2, multiprocessing_context=context)

    first, seen = loader(), []
    batches = iter(first)
    with raises(WorkerError, "DataLoader", "SIGKILL", "while it made the batch of its stream"):
        for batch in batches:
            seen += samples([batch])
    seen += samples(batches)  # of the other worker
    state = restored(first.state_dict())
    assert state["epoch"] == 0 and state["position"] == len(seen) < 20
    again = loader()
    again.load_state_dict(state)
    rest = samples(again)
    assert sorted(seen + rest) == list(range(20)) and again.state_dict()["epoch"] == 1
