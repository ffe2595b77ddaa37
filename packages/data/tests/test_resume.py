"""Going on from three integers gives the batches that would have come, in the middle of an epoch too."""

import json

import numpy as np
import pytest
from data_toys import Plain, Stream
from hypothesis import given
from hypothesis import strategies as st

from facula_data import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    Sampler,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
)

COUNT = 23


class Own(Sampler):
    """Nothing but `__iter__`, and the same each time."""

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
def test_what_follows_is_what_would_have_come(kind, size, drop, taken):
    """Take some batches over several epochs, then go on in another loader: the rest of this epoch, and the next."""
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


def test_states_say_where_a_pass_is():
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


def test_a_finished_pass_that_is_asked_again_stays_finished():
    loader = DataLoader(range(2))
    running = iter(loader)
    assert len(list(running)) == 2
    assert next(running, None) is None
    assert loader.state_dict()["epoch"] == 1


def test_after_the_last_batch_nothing_of_the_epoch_is_left():
    loader = DataLoader(range(4), 2, shuffle=True)
    running = iter(loader)
    next(running), next(running)
    again = DataLoader(range(4), 2, shuffle=True)
    again.load_state_dict(loader.state_dict())
    assert list(again) == []
    assert again.state_dict()["epoch"] == 1


@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 5))
def test_another_batch_size_goes_on_with_the_same_samples(size, other, taken):
    loader = DataLoader(range(COUNT), size, shuffle=True)
    running = iter(loader)
    for _ in range(taken):
        next(running, None)
    again = DataLoader(range(COUNT), other, shuffle=True)
    again.load_state_dict(loader.state_dict())
    rest = [index for batch in running for index in batch]
    assert [index for batch in again for index in batch] == rest or not rest


def test_passes_under_way_are_not_moved():
    loader = DataLoader(range(6), 2)
    running = iter(loader)
    next(running)
    loader.load_state_dict({"seed": 0, "epoch": 5, "position": 4})
    assert plain(next(running)) == [2, 3]
    assert loader.state_dict() == {"seed": 0, "epoch": 5, "position": 4}
    assert [plain(batch) for batch in loader] == [[4, 5]]


def test_going_on_reads_nothing_that_came_before():
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


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({}, r"expected the keys \['seed', 'epoch', 'position'\]; got \[\]"),
        ([1, 2, 3], "got list"),
        ({"seed": 1, "epoch": 0, "position": 0, "more": 1}, "'more'"),
        ({"seed": 1, "epoch": -1, "position": 0}, "epoch=-1"),
        ({"seed": 1, "epoch": 1 << 63, "position": 0}, r"below 2\*\*63"),
        ({"seed": 1 << 64, "epoch": 0, "position": 0}, "seed from 0"),
        ({"seed": 1, "epoch": 0, "position": "3"}, "position='3'"),
        ({"seed": 1, "epoch": 0, "position": 6}, "at most 5, .* got position=6; .* another dataset"),
    ],
)
def test_a_state_that_is_none_is_refused_whole(state, message):
    loader = DataLoader(range(5), shuffle=True, generator=3)
    with pytest.raises(ValueError, match=f"load_state_dict: .*{message}"):
        loader.load_state_dict(state)
    assert loader.state_dict() == {"seed": 3, "epoch": 0, "position": 0}


def test_a_state_of_other_data_is_found_out_where_lengths_are_not_known():
    stream = DataLoader(Stream(4), 2)
    stream.load_state_dict({"seed": 0, "epoch": 0, "position": 6})
    with pytest.raises(ValueError, match="at least 6 samples; the dataset gave 4"):
        list(stream)
    for position, message in ((3, "ends at sample 4"), (6, "at least 6 samples; batch_sampler gave 4")):
        loader = DataLoader(range(4), batch_sampler=[[0, 1], [2, 3]])
        loader.load_state_dict({"seed": 0, "epoch": 0, "position": position})
        with pytest.raises(ValueError, match=message):
            list(loader)
