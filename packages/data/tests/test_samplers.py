"""Samplers: their indices, and orders that depend only on seed and epoch."""

import tracemalloc
from functools import cache
from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from facula_data import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    random_split,
)
from facula_data.extend import set_seed_source
from facula_errors.testing import raises

seeds = st.integers(0, (1 << 64) - 1)


@given(st.integers(1, 200), seeds, st.integers(0, (1 << 63) - 1))
def test_a_permutation_of_each_epoch(count, seed, epoch):
    order = RandomSampler(range(count), generator=seed).order(epoch)
    assert sorted(order.tolist()) == list(range(count))
    assert order.tolist() == RandomSampler(range(count), generator=seed).order(epoch).tolist()


def test_epochs_and_seeds_differ():
    sampler = RandomSampler(range(100), generator=0)
    orders = [sampler.order(0), sampler.order(1), RandomSampler(range(100), generator=1).order(0)]
    assert len({tuple(order.tolist()) for order in orders}) == 3


def test_the_order_is_the_same_everywhere():
    """The expected numbers are fixed: other versions of NumPy and other machines yield the same."""
    assert RandomSampler(range(8), generator=0).order(0).tolist() == [0, 2, 1, 5, 4, 3, 6, 7]
    assert RandomSampler(range(8), generator=(1 << 64) - 1).order(123).tolist() == [2, 1, 4, 0, 5, 6, 3, 7]
    drawn = RandomSampler(range(1000), replacement=True, num_samples=5, generator=3).order(2)
    assert drawn.tolist() == [170, 736, 365, 757, 554]
    assert SubsetRandomSampler([10, 20, 30, 40], generator=1).order(0).tolist() == [40, 30, 10, 20]
    assert WeightedRandomSampler([1, 2, 3, 4], 6, generator=1).order(0).tolist() == [2, 3, 1, 0, 3, 0]
    assert random_split(range(6), [3, 3], generator=0)[0].indices.tolist() == [1, 2, 3]


LONG = 10**10
ENDLESS = {
    "replacement": lambda count: RandomSampler(range(10), replacement=True, num_samples=count, generator=1),
    "rounds": lambda count: RandomSampler(range(10), num_samples=count, generator=1),
    "weights": lambda count: WeightedRandomSampler([1, 2, 3, 4], count, generator=1),
    "in order": lambda count: SequentialSampler(range(count)),
}


@cache
def drawn_at_once(kind):
    return list(ENDLESS[kind](40_000))


@pytest.mark.parametrize("kind", ENDLESS)
@given(st.integers(0, 40_000), st.integers(1, 40), st.integers(1, 3))
def test_draws_do_not_depend_on_where_reading_begins(kind, start, count, step):
    """Reading across blocks and rounds in both directions yields the same as drawing the whole epoch."""
    whole = drawn_at_once(kind)
    order = ENDLESS[kind](40_000).order(0)
    assert list(order[start : start + count : step]) == whole[start : start + count : step]
    assert list(order[start + count : start : -step]) == whole[start + count : start : -step]
    assert order[-start - 1 if start < 40_000 else 0] == whole[-start - 1 if start < 40_000 else 0]


def test_draws_use_consecutive_words():
    """The order of a seed consists of a generator's raw words, read from the beginning."""
    words = np.random.Philox(key=5, counter=[0, 0, 0, 7]).random_raw(50_000)
    sampler = RandomSampler(range(1000), replacement=True, num_samples=50_000, generator=5)
    assert sampler.order(7).tolist() == ((words >> np.uint64(11)) * 2.0**-53 * 1000).astype(int).tolist()
    rounds = RandomSampler(range(7), num_samples=21, generator=5).order(7).tolist()
    assert rounds == [index for first in (0, 7, 14) for index in words[first : first + 7].argsort(kind="stable")]


@pytest.mark.parametrize("kind", ENDLESS)
def test_the_memory_of_an_epoch_does_not_grow_with_its_length(kind):
    tracemalloc.start()
    try:
        sampler = ENDLESS[kind](LONG)
        assert len(sampler) == LONG
        first = list(islice(sampler, 5))
        assert list(sampler.order(0)[:5]) == first == list(ENDLESS[kind](1000).order(0)[:5])
        assert len(next(iter(BatchSampler(sampler, 4, False)))) == 4
        for size in (4, None):
            loader = DataLoader(range(LONG), size, sampler=sampler)
            loader.load_state_dict({"seed": 1, "epoch": 0, "position": LONG - 3})
            rest = np.ravel(list(iter(loader))).tolist()
            assert rest == list(sampler.order(0)[LONG - 3 :])
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_lazy_order():
    order = ENDLESS["replacement"](LONG).order(0)
    assert repr(order).startswith("BlockOrder([") and "10000000000 indices" in repr(order)
    assert order[5:5].tolist() == []
    with pytest.raises(IndexError):
        order[LONG]
    with pytest.raises(ValueError, match="read-only"):
        order[:3][0] = 1
    small = ENDLESS["weights"](3).order(0)
    assert np.asarray(small).tolist() == small.tolist() == list(small)
    assert np.asarray(small, dtype=np.int32).dtype == np.int32
    with raises(ValueError, "order", "copy"):
        np.array(small, copy=False)


def test_each_pass_advances_the_epoch():
    sampler = RandomSampler(range(50), generator=5)
    first, second = list(sampler), list(sampler)
    assert first == sampler.order(0).tolist()
    assert second == sampler.order(1).tolist()
    assert all(type(index) is int for index in first)


@given(st.integers(1, 20), st.integers(1, 70), seeds)
def test_more_samples_than_the_dataset_come_in_rounds(count, wanted, seed):
    order = RandomSampler(range(count), num_samples=wanted, generator=seed).order(0).tolist()
    assert len(order) == wanted
    appearances = np.bincount(order, minlength=count)
    assert appearances.max() - appearances.min() <= 1


def test_positions_are_uniformly_distributed():
    """The chi-square statistic (9 degrees of freedom) of the position of sample 0 over many seeds."""
    places = [RandomSampler(range(10), generator=seed).order(0).tolist().index(0) for seed in range(2000)]
    observed = np.bincount(places, minlength=10)
    assert ((observed - 200) ** 2 / 200).sum() < 35


@pytest.mark.parametrize("replacement", [True, False])
def test_weights_are_followed(replacement):
    first = [WeightedRandomSampler([1, 0, 3], 1, replacement, generator=seed).order(0)[0] for seed in range(2000)]
    observed = np.bincount(first, minlength=3)
    assert observed[1] == 0
    assert abs(observed[2] - 1500) < 100


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=20), seeds)
def test_indices_of_weight_zero_are_never_drawn(weights, seed):
    assume(any(weights))
    drawn = WeightedRandomSampler(weights, 30, generator=seed).order(0)
    assert all(weights[index] > 0 for index in drawn)
    count = int(np.count_nonzero(weights))
    without = WeightedRandomSampler(weights, count, replacement=False, generator=seed).order(0)
    assert sorted(without.tolist()) == np.flatnonzero(weights).tolist()


@given(st.lists(st.integers(-5, 5), max_size=20), seeds)
def test_a_subset_is_permuted(indices, seed):
    sampler = SubsetRandomSampler(indices, generator=seed)
    assert len(sampler) == len(indices)
    assert sorted(sampler) == sorted(indices)


@given(st.integers(0, 40), st.integers(1, 9), st.booleans(), st.integers(0, 60))
def test_batches(count, size, drop_last, start):
    ordered = BatchSampler(SequentialSampler(range(count)), size, drop_last)
    iterated = BatchSampler(iter_only(range(count)), size, drop_last)
    expected = [list(range(count))[first : first + size] for first in range(0, count, size)]
    if drop_last:
        expected = [group for group in expected if len(group) == size]
    assert list(ordered) == list(iterated) == expected
    assert len(ordered) == len(expected)
    later = [list(range(count))[first : first + size] for first in range(start, count, size)]
    if drop_last:
        later = [group for group in later if len(group) == size]
    assert [list(group) for group in ordered.batches(0, start)] == later
    assert [list(group) for group in iterated.batches(0, start)] == later


def iter_only(indices):
    class Own(Sampler):
        def __iter__(self):
            return iter(indices)

    return Own()


def test_a_subclass_with_its_own_iter_is_iterated():
    class Reversed(RandomSampler):
        def __iter__(self):
            return reversed(range(len(self)))

    batches = BatchSampler(Reversed(range(5)), 2, False)
    assert [list(group) for group in batches.batches(0)] == [[4, 3], [2, 1], [0]]


class Generator:
    """A generator like those of other libraries, which knows its initial seed."""

    def initial_seed(self):
        return 11


def test_sources_of_seeds():
    assert RandomSampler("abc", generator=11).seed == RandomSampler("abc", generator=Generator()).seed == 11
    drawn = [RandomSampler("abc", generator=np.random.default_rng(1)).seed for _ in range(2)]
    assert drawn[0] == drawn[1]
    shared = np.random.default_rng(1)
    assert RandomSampler("abc", generator=shared).seed != RandomSampler("abc", generator=shared).seed
    assert RandomSampler("abc").seed != RandomSampler("abc").seed
    sampler = RandomSampler("abc")
    assert sampler.seed == sampler.seed


def test_a_seed_is_drawn_on_the_first_use_of_an_order():
    sampler = RandomSampler("abc")
    set_seed_source(lambda: 42)
    try:
        assert sampler.seed == 42
    finally:
        set_seed_source(None)
    assert sampler.seed == 42


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: RandomSampler([]), ValueError, "RandomSampler: got an empty data_source"),
        (lambda: RandomSampler("ab", num_samples=0), ValueError, "RandomSampler: at least 1; got num_samples=0"),
        (lambda: RandomSampler("ab", num_samples=1.5), ValueError, "RandomSampler: num_samples=1.5"),
        (lambda: RandomSampler("ab", replacement="no"), TypeError, "RandomSampler: replacement='no'"),
        (lambda: RandomSampler("ab", generator=-1), ValueError, "RandomSampler: from 0 to 2**64 - 1; got -1"),
        (lambda: RandomSampler("ab", generator=1 << 64), ValueError, "RandomSampler: got 18446744073709551616"),
        (lambda: RandomSampler("ab", generator="seed"), TypeError, "RandomSampler: expected generator ... got 'seed'"),
        (lambda: RandomSampler("ab", generator=True), TypeError, "RandomSampler: got True"),
        (lambda: SubsetRandomSampler(np.array([True, False])), ValueError, "SubsetRandomSampler: flatnonzero"),
        (lambda: SubsetRandomSampler([[1], [2]]), ValueError, "SubsetRandomSampler: got int64 (2, 1)"),
        (lambda: WeightedRandomSampler([1, -2], 1), ValueError, "WeightedRandomSampler: weights[1]=-2.0"),
        (lambda: WeightedRandomSampler([float("nan")], 1), ValueError, "WeightedRandomSampler: weights[0]=nan"),
        (lambda: WeightedRandomSampler([0, 0], 1), ValueError, "WeightedRandomSampler: at least 1 weights above 0"),
        (lambda: WeightedRandomSampler([1, 0], 2, False), ValueError, "WeightedRandomSampler: at ... got 1"),
        (lambda: WeightedRandomSampler([[1]], 1), ValueError, "WeightedRandomSampler: one dimension; got (1, 1)"),
        (lambda: WeightedRandomSampler([1], 0), ValueError, "WeightedRandomSampler: num_samples=0"),
        (lambda: BatchSampler([0], 0, False), ValueError, "BatchSampler: batch_size=0"),
        (lambda: BatchSampler([0], True, False), ValueError, "BatchSampler: batch_size=True"),
        (lambda: BatchSampler([0], 1, 1), TypeError, "BatchSampler: drop_last=1"),
        (lambda: BatchSampler(3, 1, True), TypeError, "BatchSampler: got int"),
        (lambda: iter(Sampler()), NotImplementedError, "Sampler: __iter__"),
    ],
)
def test_wrong_arguments_are_named(make, error, message):
    with raises(error, message):
        make()


def test_reprs():
    assert repr(RandomSampler("abc")) == "RandomSampler(3 samples)"
    batches = BatchSampler(SequentialSampler("abc"), 2, True)
    assert repr(batches) == "BatchSampler(SequentialSampler(3 samples), batch_size=2, drop_last=True)"
