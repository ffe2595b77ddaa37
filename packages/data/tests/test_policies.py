"""Failing samples, random numbers of samples, and shards of several programs: the same with any workers."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from facula_data import (
    ConcatDataset,
    DataLoader,
    DistributedSampler,
    IterableDataset,
    MapDataset,
    StackDataset,
    Subset,
    TensorDataset,
)
from facula_errors.testing import raises

WORKERS = [{}, {"num_workers": 2, "worker_method": "thread"}, {"num_workers": 2, "multiprocessing_context": "fork"}]
workers = pytest.mark.parametrize("kind", WORKERS, ids=["inline", "threads", "processes"])


class Bad:
    """A dataset in which some samples fail."""

    def __init__(self, bad, count=20):
        self.bad, self.count = frozenset(bad), count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if index in self.bad:
            raise OSError(f"cannot read image {index}")
        return index


def values(loader):
    return [batch.tolist() for batch in loader]


@workers
def test_skipped_samples_make_batches_shorter(kind):
    loader = DataLoader(Bad({1, 4, 5, 6, 7, 13}), batch_size=4, on_error="skip", **kind)
    assert values(loader) == [[0, 2, 3], [8, 9, 10, 11], [12, 14, 15], [16, 17, 18, 19]]
    assert loader.state_dict()["epoch"] == 1


@workers
def test_an_empty_batch_is_in_the_state(kind):
    loader = DataLoader(Bad({4, 5, 6, 7}), batch_size=4, on_error="skip", **kind)
    batches = iter(loader)
    next(batches), next(batches)
    assert loader.state_dict() == {"seed": loader.seed, "epoch": 0, "position": 12, "skipped": [[4, 8]]}


@workers
def test_thousands_of_batches_in_a_row_may_be_left_out(kind):
    loader = DataLoader(Bad(range(1, 5001), 5002), batch_size=1, on_error="skip", **kind)
    batches = iter(loader)
    assert [batch.tolist() for batch in (next(batches), next(batches))] == [[0], [5001]]
    assert loader.state_dict()["skipped"] == [[1, 5001]]
    assert values(DataLoader(Bad(range(1500), 1500), batch_size=1, on_error="skip", **kind)) == []


@workers
def test_substitutes_are_always_the_same(kind):
    expected = values(DataLoader(Bad({1, 5}), batch_size=4, on_error="substitute", seed=2))
    assert values(DataLoader(Bad({1, 5}), batch_size=4, on_error="substitute", seed=2, **kind)) == expected
    flat = [i for batch in expected for i in batch]
    assert len(flat) == 20 and not {1, 5} & set(flat)
    assert [i for place, i in enumerate(flat) if place not in (1, 5)] == [i for i in range(20) if i not in (1, 5)]


def test_a_dataset_without_a_good_sample_is_an_error():
    with raises(RuntimeError, "DataLoader", "16 others"):
        next(iter(DataLoader(Bad(range(20)), batch_size=4, on_error="substitute")))


@workers
def test_a_function_decides(kind):
    loader = DataLoader(Bad({1, 5}), batch_size=4, on_error=stand_in, **kind)
    assert values(loader)[:2] == [[0, -1, 2, 3], [4, -5, 6, 7]]


def stand_in(error, index):
    assert isinstance(error, OSError)
    return -index


class Draws:
    """A dataset whose samples accept a generator."""

    def __len__(self):
        return 12

    def __getitem__(self, index, rng):
        return np.array([index, rng.integers(1 << 40)])


@workers
@pytest.mark.parametrize("wrap", [lambda d: d, lambda d: Subset(d, range(12)), lambda d: ConcatDataset([d, range(0)])])
def test_rng_is_a_function_of_seed_epoch_and_index(kind, wrap):
    def numbers(size, epoch=0, seed=3, **how):
        loader = DataLoader(wrap(Draws()), size, shuffle=True, seed=seed, **how)
        loader.load_state_dict({"seed": seed, "epoch": epoch, "position": 0})
        return {index: number for batch in loader for index, number in batch.tolist()}

    once = numbers(4)
    assert numbers(3, **kind) == once and len(set(once.values())) == 12
    assert not set(numbers(4, epoch=1, **kind).values()) & set(once.values())
    assert not set(numbers(4, seed=4).values()) & set(once.values())


class Globals:
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.array([random.random(), np.random.rand()])


@pytest.mark.parametrize("kind", [WORKERS[0], WORKERS[2]], ids=["inline", "processes"])
def test_seeded_globals_repeat_and_are_restored(kind):
    def numbers():
        return np.concatenate(list(DataLoader(Globals(), 3, seed=1, seed_globals=True, **kind)))

    random.seed(5), np.random.seed(5)
    before = random.getstate(), np.random.get_state()[1].tolist()
    once = numbers()
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    np.testing.assert_array_equal(once, numbers())
    assert len(np.unique(once)) == 16


@given(
    count=some.integers(1, 40),
    size=some.integers(1, 5),
    world=some.integers(1, 4),
    drop_last=some.booleans(),
    cut=some.integers(0, 3),
    other=some.integers(1, 4),
)
def test_shards_split_each_epoch_and_resume_with_any_number(count, size, world, drop_last, cut, other):
    data = TensorDataset(np.arange(count))

    def loaders(world, state=None):
        made = [DataLoader(data, size, True, seed=1, drop_last=drop_last, shard=(rank, world)) for rank in range(world)]
        for loader in made:
            if state:
                loader.load_state_dict(state)
        return made

    seen, state = Counter(), None
    passes = [(loader, iter(loader)) for loader in loaders(world)]
    for _ in range(cut):
        lengths = set()
        for loader, batches in passes:
            batch = next(batches, None)
            lengths.add(None if batch is None else len(batch[0]))
            seen.update([] if batch is None else batch[0].tolist())
            state = loader.state_dict()
        assert len(lengths) == 1
    if state is not None and state["epoch"] == 0:
        for loader in loaders(other, state):
            for (batch,) in loader:
                seen.update(batch.tolist())
        if not drop_last:
            assert set(seen) == set(range(count))
        assert all(len(loader) == len(list(loader)) for loader in loaders(other))


@given(count=some.integers(1, 30), world=some.integers(1, 4), drop_last=some.booleans(), shuffle=some.booleans())
def test_distributed_samplers_share_an_epoch(count, world, drop_last, shuffle):
    made = [DistributedSampler(range(count), world, rank, shuffle, 7, drop_last) for rank in range(world)]
    orders = [sampler.order(3).tolist() for sampler in made]
    assert {len(order) for order in orders} == {len(made[0])}
    together = Counter(index for order in orders for index in order)
    if drop_last:
        assert all(number == 1 for number in together.values()) and len(together) == count // world * world
    else:
        assert set(together) == set(range(count)) and max(together.values()) <= max(1, world)


def test_set_epoch_overrides_the_loaders_epoch():
    sampler = DistributedSampler(range(50), 2, 0)
    loader = DataLoader(range(50), batch_size=5, sampler=sampler)
    first, second = values(loader), values(loader)
    assert first != second
    sampler.set_epoch(0)
    assert values(loader) == first == values(loader)


class Endless(IterableDataset):
    def __iter__(self):
        return iter(range(3))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"on_error": "ignore"}, "on_error"),
        ({"seed": -1}, "seed"),
        ({"seed": 1, "generator": 2}, "seed or generator"),
        ({"shard": (2, 2)}, "rank"),
        ({"shard": 3}, "shard"),
        ({"shard": (0, 0)}, "programs"),
        ({"shard": (0, 2), "batch_sampler": [[0]]}, "batch_sampler"),
        ({"seed_globals": 1}, "seed_globals"),
        ({"seed_globals": True, "num_workers": 2, "worker_method": "thread"}, "rng"),
        ({"dataset": Endless(), "on_error": "skip"}, "IterableDataset"),
        ({"dataset": Endless(), "shard": (0, 2)}, "IterableDataset"),
    ],
    ids=repr,
)
def test_wrong_arguments(wrong, said):
    with raises((ValueError, TypeError), "DataLoader", said):
        DataLoader(**{"dataset": range(8), **wrong})


def jittered(value, *, rng):
    return value + rng.random()


@workers
def test_random_transforms_within_a_dataset_repeat(kind):
    from facula_data.transforms import MapDataset

    def numbers(size, **how):
        loader = DataLoader(Subset(MapDataset(range(20), jittered), range(12)), size, shuffle=True, seed=3, **how)
        return {int(value): value for batch in loader for value in batch.tolist()}

    assert numbers(5, **kind) == numbers(4) and len({value % 1 for value in numbers(4).values()}) == 12


@workers
def test_samples_without_batches_are_sharded(kind):
    made = [DataLoader(range(10), None, True, seed=1, shard=(rank, 3), **kind) for rank in range(3)]
    parts = [list(loader) for loader in made]
    assert [len(part) for part in parts] == [len(loader) for loader in made] == [4, 4, 4]
    assert set().union(*parts) == set(range(10))
    first, second = iter(made[0]), DataLoader(range(10), None, True, shard=(0, 3), **kind)
    begun = [next(first), next(first)]
    assert made[0].state_dict() == {"seed": 1, "epoch": 1, "position": 6}
    second.load_state_dict(made[0].state_dict())
    assert begun + list(second) == begun + list(first)
    with raises(ValueError, "DataLoader", "no last one"):
        DataLoader(range(10), None, drop_last=True, shard=(0, 3))


@workers
def test_strings_are_not_mistaken_for_a_missing_batch(kind):
    texts = ["no sample is left", "end", "cut"]
    assert list(DataLoader(texts, None, **kind)) == texts


def test_rng_reaches_nested_datasets():
    class Noise:
        def __len__(self):
            return 6

        def __getitem__(self, index, rng):
            return rng.random()

    def values_of(dataset, **kind):
        batches = DataLoader(dataset, 2, seed=3, **kind)
        return [np.asarray(batch[0] if isinstance(batch, list) else batch).tolist() for batch in batches]

    plain = values_of(Noise())
    assert values_of(MapDataset(Noise(), lambda value: value)) == plain
    assert values_of(StackDataset(Noise())) == plain
    assert values_of(StackDataset(Noise(), TensorDataset(np.arange(6)))) == plain, "which is not read at once"
