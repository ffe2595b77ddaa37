"""Resuming from three integers yields the batches that would have followed, also in mid-epoch."""

import json

import numpy as np
import pytest
from data_helpers import Plain, Stream
from hypothesis import given
from hypothesis import strategies as st

from facula_data import (
    BatchSampler,
    DataLoader,
    IterableDataset,
    RandomSampler,
    Sampler,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
)
from facula_errors.testing import raises

COUNT = 23


class Own(Sampler):
    """A sampler that only defines a deterministic `__iter__`."""

    def __iter__(self):
        return iter(range(COUNT - 1, -1, -1))

    def __len__(self):
        return COUNT


LOADERS = {
    "in order": lambda size, drop: DataLoader(range(COUNT), size, drop_last=drop),
    "shuffled": lambda size, drop: DataLoader(range(COUNT), size, True, drop_last=drop),
    "whole batches": lambda size, drop: DataLoader(TensorDataset(np.arange(COUNT)), size, True, drop_last=drop),
    "one by one": lambda size, drop: DataLoader(Plain(range(COUNT)), None, True),
    "subset": lambda size, drop: DataLoader(range(COUNT), size, sampler=SubsetRandomSampler(range(COUNT))),
    "weighted": lambda size, drop: DataLoader(
        range(COUNT), size, sampler=WeightedRandomSampler(range(COUNT), COUNT), drop_last=drop
    ),
    "own sampler": lambda size, drop: DataLoader(range(COUNT), size, sampler=Own(), drop_last=drop),
    "own sampler, one by one": lambda size, drop: DataLoader(range(COUNT), None, sampler=Own()),
    "batch sampler": lambda size, drop: DataLoader(
        range(COUNT), batch_sampler=BatchSampler(RandomSampler(range(COUNT)), size, drop)
    ),
    "own batches": lambda size, drop: DataLoader(range(COUNT), batch_sampler=list(BatchSampler(Own(), size, drop))),
    "stream": lambda size, drop: DataLoader(Stream(COUNT), size, drop_last=drop),
    "stream, one by one": lambda size, drop: DataLoader(Stream(COUNT), None),
}


def plain(batch):
    return np.asarray(batch).tolist()


@pytest.mark.parametrize("kind", LOADERS)
@given(st.integers(1, 9), st.booleans(), st.integers(0, 60))
def test_resuming_yields_the_remaining_batches(kind, size, drop, taken):
    """Read some batches over several epochs, then resume in another loader: the rest of this epoch, and the next."""
    loader = LOADERS[kind](size, drop)
    running = iter(loader)
    for _ in range(taken):
        if next(running, None) is None:
            running = iter(loader)
    state = json.loads(json.dumps(loader.state_dict()))
    assert set(state) == {"seed", "epoch", "position"}
    again = LOADERS[kind](size, drop)
    again.load_state_dict(state)
    assert again.state_dict() == state
    rest = [plain(batch) for batch in running]
    assert [plain(batch) for batch in again] == rest
    assert again.state_dict() == loader.state_dict()
    assert [plain(batch) for batch in again] == [plain(batch) for batch in loader]


def test_states_contain_the_position_of_a_pass():
    loader = DataLoader(range(5), 2, shuffle=True, generator=7)
    assert loader.state_dict() == {"seed": 7, "epoch": 0, "position": 0}
    seen = []
    for _ in loader:
        seen.append((loader.state_dict()["epoch"], loader.state_dict()["position"]))
    assert seen == [(0, 2), (0, 4), (0, 5)]
    assert loader.state_dict() == {"seed": 7, "epoch": 1, "position": 0}
    next(iter(loader))
    assert loader.state_dict() == {"seed": 7, "epoch": 1, "position": 2}
    iter(loader)
    assert loader.state_dict() == {"seed": 7, "epoch": 2, "position": 0}


def test_a_finished_pass_stays_finished():
    loader = DataLoader(range(2))
    running = iter(loader)
    assert len(list(running)) == 2
    assert next(running, None) is None
    assert loader.state_dict()["epoch"] == 1


def test_after_the_last_batch_the_epoch_is_complete():
    loader = DataLoader(range(4), 2, shuffle=True)
    running = iter(loader)
    next(running), next(running)
    again = DataLoader(range(4), 2, shuffle=True)
    again.load_state_dict(loader.state_dict())
    assert list(again) == []
    assert again.state_dict()["epoch"] == 1


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 5))
def test_another_batch_size_resumes_with_the_same_samples(size, other, taken):
    loader = DataLoader(range(COUNT), size, shuffle=True)
    running = iter(loader)
    for _ in range(taken):
        next(running, None)
    again = DataLoader(range(COUNT), other, shuffle=True)
    again.load_state_dict(loader.state_dict())
    rest = [index for batch in running for index in batch]
    assert [index for batch in again for index in batch] == rest or not rest


def test_loading_a_state_does_not_affect_running_passes():
    loader = DataLoader(range(6), 2)
    running = iter(loader)
    next(running)
    loader.load_state_dict({"seed": 0, "epoch": 5, "position": 4})
    assert plain(next(running)) == [2, 3]
    assert loader.state_dict() == {"seed": 0, "epoch": 5, "position": 4}
    assert [plain(batch) for batch in loader] == [[4, 5]]


def test_resuming_reads_no_earlier_samples():
    class Watched(Plain):
        read = ()

        def __getitem__(self, index):
            self.read += (index,)
            return index

    data = Watched(range(COUNT))
    loader = DataLoader(data, 5)
    loader.load_state_dict({"seed": 0, "epoch": 0, "position": 20})
    list(loader)
    assert data.read == (20, 21, 22)


class Hiccup(OSError):
    pass


def hiccup(batch):
    """Fail for the batch, sample or index that contains 9, until it is allowed to work."""
    if hiccup.broken and 9 in np.ravel(batch):
        raise Hiccup("disk")
    return batch


class Failing(Plain):
    def __getitem__(self, index):
        return hiccup(super().__getitem__(index))


class FailingMany(Plain):
    def __getitems__(self, indices):
        return hiccup([self.dataset[index] for index in indices])


class FailingWhole(TensorDataset):
    def get_batch(self, indices):
        hiccup(indices)
        return super().get_batch(indices)[0]


FAILURES = {
    "sample": lambda size: DataLoader(Failing(range(20)), size),
    "sample, shuffled": lambda size: DataLoader(Failing(range(20)), size, True, generator=2),
    "one by one": lambda size: DataLoader(Failing(range(20)), None),
    "samples at once": lambda size: DataLoader(FailingMany(range(20)), size),
    "whole batch": lambda size: DataLoader(FailingWhole(np.arange(20)), size, True, generator=2),
    "own sampler": lambda size: DataLoader(Failing(range(20)), size, sampler=range(19, -1, -1)),
    "own batches": lambda size: DataLoader(
        Failing(range(20)), batch_sampler=list(BatchSampler(range(20), size, False))
    ),
    "collate": lambda size: DataLoader(range(20), size, collate_fn=lambda samples: np.array(hiccup(samples))),
    "convert": lambda size: DataLoader(range(20), size, convert=hiccup),
    "stream, collate": lambda size: DataLoader(Stream(20), size, collate_fn=lambda samples: np.array(hiccup(samples))),
    "stream, convert": lambda size: DataLoader(Stream(20), size, convert=hiccup),
    "stream, one by one": lambda size: DataLoader(Stream(20), None, collate_fn=hiccup),
}


def delivered_by(order, state):
    """Return the samples that a state reports as delivered, for an epoch in this order."""
    skipped = {place for begin, end in state.get("skipped", []) for place in range(begin, end)}
    return [sample for place, sample in enumerate(order[: state["position"]]) if place not in skipped]


@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("size", [3, 4, 20])
def test_after_a_failed_batch_the_state_counts_delivered_samples(kind, size):
    hiccup.broken = False
    order = [int(sample) for batch in FAILURES[kind](size) for sample in np.ravel(batch)]
    hiccup.broken = True
    loader, delivered, failed = FAILURES[kind](size), [], 0
    batches = iter(loader)
    while True:
        before = loader.state_dict()
        assert delivered_by(order, before) == delivered
        again = FAILURES[kind](size)
        again.load_state_dict(json.loads(json.dumps(before)))
        assert again.state_dict() == before
        try:
            delivered += np.ravel(next(batches)).tolist()
        except Hiccup:
            failed += 1
            assert loader.state_dict() == before, "the failed batch is still to come"
            hiccup.broken = False
            assert delivered + [int(sample) for batch in again for sample in np.ravel(batch)] == order
            hiccup.broken = True
        except StopIteration:
            break
    step = 1 if "one by one" in kind else size
    first = order.index(9) // step * step
    assert failed == 1 and delivered == order[:first] + order[first + step :]
    assert loader.state_dict() == {"seed": before["seed"], "epoch": 1, "position": 0}


def test_batches_that_fail_one_after_the_other_are_one_gap():
    class Bad(Plain):
        def __getitem__(self, index):
            if index in (2, 5, 10):
                raise Hiccup(index)
            return index

    loader = DataLoader(Bad(range(14)), 2)
    batches = iter(loader)
    for _ in range(7):
        try:
            next(batches)
        except Hiccup:
            pass
    assert {**loader.state_dict(), "seed": 0} == {
        "seed": 0, "epoch": 0, "position": 14, "skipped": [[2, 6], [10, 12]],
    }  # fmt: skip


class Retried:
    """An iterator that raises once instead of yielding sample 5, and can continue."""

    def __init__(self):
        self.given, self.raised = 0, False

    def __iter__(self):
        return self

    def __next__(self):
        if self.given == 5 and not self.raised:
            self.raised = True
            raise Hiccup("network")
        if self.given == 8:
            raise StopIteration
        self.given += 1
        return self.given - 1


def test_a_stream_that_continues_loses_no_samples():
    class Network(IterableDataset):
        def __iter__(self):
            return Retried()

    loader = DataLoader(Network(), 2)
    batches, seen = iter(loader), []
    for _ in range(5):
        try:
            seen.append(plain(next(batches)))
        except Hiccup as error:
            assert "at sample 5" in error.__notes__[0]
            assert loader.state_dict()["position"] == 4
    assert seen == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert loader.state_dict()["position"] == 8 and "skipped" not in loader.state_dict()
    assert next(batches, None) is None and loader.state_dict()["epoch"] == 1


def test_an_interrupted_stream_has_not_ended():
    class Interrupted(IterableDataset):
        def __iter__(self):
            yield 0
            raise KeyboardInterrupt

    loader = DataLoader(Interrupted(), 1)
    batches = iter(loader)
    next(batches)
    with pytest.raises(KeyboardInterrupt):
        next(batches)
    assert next(batches, None) is None
    assert loader.state_dict()["epoch"] == 0 and loader.state_dict()["position"] == 1


@pytest.mark.parametrize(
    "skipped", [3, [3], [[0]], [[1, 1]], [[2, 1]], [[-1, 1]], [[0, 5]], [[2, 3], [0, 1]], [[0, 1.0]], "ab", [[0, True]]]
)
def test_invalid_gaps_are_rejected(skipped):
    loader = DataLoader(range(5), generator=3)
    with raises(ValueError, "load_state_dict", "expected skipped to be pairs"):
        loader.load_state_dict({"seed": 0, "epoch": 0, "position": 4, "skipped": skipped})
    assert loader.state_dict() == {"seed": 3, "epoch": 0, "position": 0}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, "expected the keys ['seed', 'epoch', 'position']; got []"),
        ([1, 2, 3], "got list"),
        ({"seed": 1, "epoch": 0, "position": 0, "more": 1}, "'more'"),
        ({"seed": 1, "epoch": -1, "position": 0}, "epoch=-1"),
        ({"seed": 1, "epoch": 1 << 63, "position": 0}, "below 2**63"),
        ({"seed": 1 << 64, "epoch": 0, "position": 0}, "seed from 0"),
        ({"seed": 1, "epoch": 0, "position": "3"}, "position='3'"),
        ({"seed": 1, "epoch": 0, "position": 6}, "at most 5, ... got position=6; ... another dataset"),
    ],
)
def test_an_invalid_state_is_rejected_completely(state, message):
    loader = DataLoader(range(5), shuffle=True, generator=3)
    with raises(ValueError, "load_state_dict", message):
        loader.load_state_dict(state)
    assert loader.state_dict() == {"seed": 3, "epoch": 0, "position": 0}


def test_a_state_of_other_data_is_detected_without_known_lengths():
    stream = DataLoader(Stream(4), 2)
    stream.load_state_dict({"seed": 0, "epoch": 0, "position": 6})
    with raises(ValueError, "load_state_dict", "at least 6 samples", "the dataset gave 4"):
        list(stream)
    for position, message in ((3, "ends at sample 4"), (6, "at least 6 samples; batch_sampler gave 4")):
        loader = DataLoader(range(4), batch_sampler=[[0, 1], [2, 3]])
        loader.load_state_dict({"seed": 0, "epoch": 0, "position": position})
        with raises(ValueError, "load_state_dict", message):
            list(loader)
