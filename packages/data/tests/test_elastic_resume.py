"""A state resumes with any number of workers and programs and any batch size: the remaining samples are the same.

A sample is its index and a number drawn for it, so that random numbers are seen to be the same, too.
"""

import itertools
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from facula_data import DataLoader

pytest.importorskip("facula_multiprocessing")

WORKERS = [{}] + [
    {"num_workers": number, **how}
    for number in (1, 2, 3)
    for how in ({"worker_method": "thread"}, {"multiprocessing_context": "fork"})
]


class Draws:
    """An index, and a random number for each epoch. Some fail."""

    def __init__(self, count, bad=()):
        self.count, self.bad = count, frozenset(bad)

    def __len__(self):
        return self.count

    def __getitem__(self, index, rng):
        if index in self.bad:
            raise OSError(index)
        return np.array([index, rng.integers(1 << 40)])


def samples(batches):
    return [tuple(sample) for batch in batches for sample in batch.tolist()]


def taken(loader, batches):
    """Return the samples of the first few batches, and the state after them."""
    found = samples(itertools.islice(loader, batches))
    return found, json.loads(json.dumps(loader.state_dict()))


how = {
    "count": some.integers(1, 40),
    "epoch": some.integers(0, 2),
    "sizes": some.tuples(*[some.sampled_from([1, 2, 3, 7])] * 3),
    "cuts": some.tuples(*[some.integers(0, 6)] * 2),
    "kinds": some.tuples(*[some.sampled_from(WORKERS)] * 3),
    "shuffle": some.booleans(),
}


@settings(max_examples=25)
@given(**how, none=some.booleans())
def test_one_program_resumes_twice_with_other_workers_and_batches(count, epoch, sizes, cuts, kinds, shuffle, none):
    data = Draws(count)
    state = {"seed": 4, "epoch": epoch, "position": 0}
    reference = DataLoader(data, None, shuffle)
    reference.load_state_dict(state)
    whole, seen = samples(np.stack(list(reference))[:, None]), []
    for size, cut, kind in zip(sizes, [*cuts, None], kinds, strict=True):
        single = none and size == 1
        loader = DataLoader(data, None if single else size, shuffle, **kind)
        loader.load_state_dict(state)
        if single:
            found = [tuple(one.tolist()) for one in itertools.islice(loader, cut)]
        else:
            found = samples(itertools.islice(loader, cut))
        seen += found
        state = json.loads(json.dumps(loader.state_dict()))
        assert seen == whole[: len(seen)]
        if state["epoch"] > epoch:
            break
        assert state == {"seed": 4, "epoch": epoch, "position": len(seen)}
    assert seen == whole and state == {"seed": 4, "epoch": epoch + 1, "position": 0}


@settings(max_examples=25)
@given(**how, worlds=some.tuples(*[some.integers(1, 3)] * 3), drop=some.booleans())
def test_more_or_fewer_programs_resume(count, epoch, sizes, cuts, kinds, shuffle, worlds, drop):
    data = Draws(count)
    state = {"seed": 4, "epoch": epoch, "position": 0}
    reference = DataLoader(data, 1, shuffle)
    reference.load_state_dict(state)
    whole = samples(reference)
    seen, filled = Counter(), 0
    for size, cut, kind, world in zip(sizes, [*cuts, None], kinds, worlds, strict=True):
        states, lengths, position = [], set(), state["position"]
        for rank in range(world):
            loader = DataLoader(data, size, shuffle, drop_last=drop, shard=(rank, world), **kind)
            loader.load_state_dict(state)
            found, after = taken(loader, cut)
            seen.update(found)
            states.append(after)
            lengths.add(len(found))
        assert all(one == states[0] for one in states) and len(lengths) == 1
        state = states[0]
        if state["epoch"] > epoch:
            filled = 0 if drop else -(count - position) % world
            left = set(whole) - set(seen)
            assert seen.total() == len(seen) + filled if not drop else seen.total() == len(seen)
            assert len(left) < size * world if drop else not left
            break
        reached = min(count, position + next(iter(lengths)) * world)
        assert state == {"seed": 4, "epoch": epoch, "position": reached}
        assert set(seen) == set(whole[:reached])
        if reached == count:
            break
        assert seen.total() == reached
    assert set(seen) <= set(whole)


@settings(max_examples=20)
@given(**how, bad=some.sets(some.integers(0, 39), max_size=12))
def test_bad_samples_are_left_out_once(count, epoch, sizes, cuts, kinds, shuffle, bad):
    state = {"seed": 4, "epoch": epoch, "position": 0}
    reference = DataLoader(Draws(count), 1, shuffle)
    reference.load_state_dict(state)
    whole, seen = samples(reference), []
    good = [sample for sample in whole if sample[0] not in bad]
    for size, cut, kind in zip(sizes, [*cuts, None], kinds, strict=True):
        loader = DataLoader(Draws(count, bad), size, shuffle, on_error="skip", **kind)
        loader.load_state_dict(state)
        found, state = taken(loader, cut)
        seen += found
        if state["epoch"] > epoch:
            break
        assert seen == [sample for sample in whole[: state["position"]] if sample in good]
        skipped = {place for begin, end in state.get("skipped", []) for place in range(begin, end)}
        assert all(whole[place][0] in bad for place in skipped)
    assert seen == good
