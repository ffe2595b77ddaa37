"""Attributes that grow in forked workers: detection, size estimates, and a single warning."""

import threading
import warnings
from collections import deque

import numpy as np
import pytest
from test_shared import grown_by_reading

from facula_data import ConcatDataset, SharedDict, SharedList, Subset, growing_attributes
from facula_data._shared.growth import CONTAINER_COST, DEPTH, MAX_EXAMINED, _Walk, warn_of_growth
from facula_errors import FaculaError
from facula_errors.testing import raises


class Holder:
    def __init__(self, **attributes):
        vars(self).update(attributes)

    def __getitem__(self, index):
        return index

    def __len__(self):
        return 10


class Slotted:
    __slots__ = ("missing", "names")

    def __init__(self, names):
        self.names = names


def texts(count=20_000):
    return [f"a name of some length, number {i}" for i in range(count)]


def paths(dataset, least=1 << 20):
    return [path for path, _, _ in growing_attributes(dataset, least)]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (texts(), "list of str"),
        (tuple(texts()), "tuple of str"),
        (dict.fromkeys(texts(), 1), "dict of str to int"),
        ({i: text for i, text in enumerate(texts())}, "dict of int to str"),
        (set(texts()), "set of str"),
        (frozenset(texts()), "frozenset of str"),
        (deque(texts()), "deque of str"),
        ([(text, 0) for text in texts()], "list of tuple"),
        ([{"name": text} for text in texts()], "list of dict"),
        ([Holder(name=text) for text in texts()], "list of Holder"),
        ([Slotted(text) for text in texts()], "list of Slotted"),
        (np.array(texts(), object), "object array of str"),
        ([1000 + i * 1000 for i in range(40_000)], "list of int"),
        ([np.zeros(3) for _ in range(20_000)], "list of ndarray"),
        ([None, *texts()], "list of NoneType or str"),
    ],
)
def test_containers_of_objects_are_found(value, kind):
    ((path, said, nbytes),) = growing_attributes(Holder(value=value))
    assert (path, said) == ("dataset.value", kind)
    assert 1 << 20 < nbytes < 20 << 20


@pytest.mark.parametrize(
    "value",
    [
        SharedList(texts()),
        SharedDict(dict.fromkeys(texts(), 1)),
        np.zeros(1 << 20),
        np.zeros(1 << 20, "U8"),
        ["the same"] * 1_000_000,
        [1] * 1_000_000,
        [None] * 1_000_000,
        list(range(20)),
        "a" * (1 << 24),
        bytes(1 << 24),
        range(1 << 30),
        threading.Lock(),
        np,
        texts,
    ],
    ids=lambda value: type(value).__name__,
)
def test_attributes_that_do_not_grow_are_not_reported(value):
    assert growing_attributes(Holder(value=value)) == []


def test_paths_of_growing_attributes():
    one, other = Holder(names=texts()), Holder(names=texts(30_000))
    assert paths(one) == ["dataset.names"]
    assert paths(Subset(one, range(5))) == ["dataset.dataset.names"]
    assert paths(ConcatDataset([one, other])) == ["dataset.datasets[1].names", "dataset.datasets[0].names"]
    assert paths(Holder(splits={"train": one, "test": other})) == [
        "dataset.splits['test'].names",
        "dataset.splits['train'].names",
    ]
    assert paths(Slotted(texts())) == ["dataset.names"]
    assert paths(texts()) == ["dataset"]
    assert paths(Holder(a=one, b=one)) == ["dataset.a.names"]  # once
    assert paths(Holder(small=texts(20), of={"a": [1, 2]}), 10_000) == []

    class Labelled(Holder):
        labels = texts()

    assert paths(Labelled()) == ["dataset.labels"]


def test_properties_are_not_evaluated_and_cycles_end():
    class Odd(Holder):
        @property
        def names(self):
            raise AssertionError("asked")

    odd = Odd()
    odd.self = odd
    odd.inner = [odd, {"odd": odd}]
    assert growing_attributes(odd) == []


def test_a_dataset_that_cannot_be_inspected():
    class Odd:
        @property
        def __dict__(self):
            raise RuntimeError("not now")

    with pytest.raises(RuntimeError, match="not now"):
        growing_attributes(Odd())
    assert warn_of_growth(Odd()) == []


def test_large_datasets_are_sampled():
    rows = [{"name": str(i), "box": [i + j for j in range(40)], "inner": {"a": [str(i)]}} for i in range(5_000)]
    large = Holder(rows=rows, by={i: str(i) for i in range(40_000)})
    nested = large
    for _ in range(200):
        nested = Holder(inner=[nested] * 30, more=[[str(i)] for i in range(30)])
    assert paths(large) == ["dataset.rows", "dataset.by"]
    for one in (large, nested):
        walk = _Walk()
        walk.visit("dataset", one, DEPTH)
        assert walk.looked < 3 * MAX_EXAMINED
        assert walk.budget >= -CONTAINER_COST


def test_the_estimate_is_about_what_a_fork_copies():
    values = texts(100_000)
    ((_, _, nbytes),) = growing_attributes(Holder(values=values))
    assert nbytes / 2 < grown_by_reading(values) < nbytes * 2


def test_the_warning_names_them_once():
    dataset = Holder(names=texts(), ages=dict.fromkeys(texts(), 1))
    with pytest.warns(UserWarning, match=r"dataset.ages \(dict of str to int, about .* MiB\)") as caught:
        found = warn_of_growth(dataset, least=1 << 20)
    assert len(caught) == 1
    assert "dataset.names (list of str" in str(caught[0].message)
    assert "facula_data.SharedList or SharedDict" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert {path for path, _, _ in found} == {"dataset.names", "dataset.ages"}
    with pytest.warns(UserWarning, match="and 2 more"):
        warn_of_growth(Holder(**{f"n{i}": texts() for i in range(6)}), 1 << 20)


def test_small_attributes_cause_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert warn_of_growth(Holder(names=texts())) == []


def test_a_wrong_least():
    with raises(
        ValueError, "growing_attributes", "expected least to be an integer of at least 0", value="least=-1"
    ) as caught:
        growing_attributes([], -1)
    assert isinstance(caught.value, FaculaError)
