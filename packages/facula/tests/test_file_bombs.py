"""Small files that describe much more data are refused in time proportional to their size; large valid files load."""

import collections
import io
import pickle
import re
import zipfile

import numpy as np
import pytest

import facula
import facula.nn as nn
from facula_checkpoint import CheckpointError
from facula_errors.testing import raises

MILLIONS = 10**10
Pair = collections.namedtuple("Pair", "place words")


def written(value):
    file = io.BytesIO()
    facula.save(value, file)
    file.seek(0)
    return file


def with_pickle(data):
    """Return a file with another pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02" + data + b".")
    file.seek(0)
    return file


MEMBERS = b"}(" + b"".join(b"X\x04\0\0\0%04dN" % place for place in range(5000)) + b"u"
MODULE = b"h\0)\x81}X\x0b\0\0\0_parametersh\1sb"
OPTIMIZER = b"h\0)\x81}(X\x08\0\0\0defaults}X\x05\0\0\0state}X\x0c\0\0\0param_groupsh\1ub"
BOMBS = {
    "modules with the same members": (
        b"(ctorch.nn.modules.linear\nIdentity\nq\0" + MEMBERS + b"q\1" + MODULE * 500 + b"t"
    ),
    "optimizers with the same groups": (
        b"(ctorch.optim.sgd\nSGD\nq\0]("
        + b"}X\x06\0\0\0params]sq\2" + b"h\2" * 5000 + b"eq\1" + OPTIMIZER * 500 + b"t"
    ),
    "options": (
        b"ctorch.optim.sgd\nSGD\n)\x81}(X\x08\0\0\0defaults" + MEMBERS
        + b"X\x05\0\0\0state}X\x0c\0\0\0param_groups]ub"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(name):
    with raises(CheckpointError, "<BytesIO>") as caught:
        facula.load(with_pickle(BOMBS[name]))
    assert re.search("copies far more than it contains: a bomb|more than 100 options", str(caught.value))


def plain_state(module, name, state):
    """Pickle an instance of a PyTorch class with these attributes, without the first and last opcodes."""
    return f"c{module}\n{name}\n)\x81".encode("latin1") + pickle.dumps(state, 2)[2:-1] + b"b"


def renamed(file, kind, name):
    """Return a file in which a class has another name."""
    other = io.BytesIO()
    with zipfile.ZipFile(file) as before, zipfile.ZipFile(other, "w") as after:
        for one in before.namelist():
            after.writestr(one, before.read(one).replace(f"{kind.__module__}\n{kind.__name__}".encode(), name))
    other.seek(0)
    return other


SAMPLER = "torch.utils.data.sampler"


def test_ranges_in_samplers_allocate_no_memory():
    """Check this because PyTorch's sampler saves the range that it was given."""
    state = {"indices": range(0, MILLIONS, 2), "generator": None}
    found = facula.load(with_pickle(plain_state(SAMPLER, "SubsetRandomSampler", state)))
    assert len(found) == MILLIONS // 2 and facula.load(written(found)).indices == state["indices"]
    state["indices"] = range(5, 11, 2)
    assert sorted(facula.load(with_pickle(plain_state(SAMPLER, "SubsetRandomSampler", state)))) == [5, 7, 9]
    row = [0] * 1000
    state = {"indices": [[row] * 1000] * 1000, "weights": range(MILLIONS), "generator": None}
    for name in ("SubsetRandomSampler", "WeightedRandomSampler"):
        with raises(CheckpointError, "<BytesIO>") as caught:
            facula.load(with_pickle(plain_state(SAMPLER, name, state)))
        assert re.search("not all numbers|a range for weights", str(caught.value))
    state["indices"] = range(10**30)
    with raises(CheckpointError, "<BytesIO>", "for indices of a sampler, which is out of range"):
        facula.load(with_pickle(plain_state(SAMPLER, "SubsetRandomSampler", state)))


class Chi2:
    """Stand-in for PyTorch's Chi2 in a file."""


@pytest.mark.parametrize(
    ("shape", "strides", "bomb"),
    [((10**10, 2), (0, 1), False), ((3, 1), (1, 0), False), ((10**5, 10**4), (1, 1), True)],
)
def test_the_file_bounds_derived_values_of_distributions(shape, strides, bomb):
    """Check a Chi2: PyTorch saves half of its degrees of freedom, in a tensor that may repeat its elements."""
    stand = Chi2()
    stand.concentration = stand.rate = facula.arange(110_000.0).as_strided(shape, strides)
    stand._batch_shape, stand._event_shape = facula.Size(shape), facula.Size([])
    file = renamed(written(stand), Chi2, b"torch.distributions.chi2\nChi2")
    if bomb:
        with raises(CheckpointError, "<BytesIO>", "shape (100000, 10000) over 110000 elements: a bomb"):
            facula.load(file)
    else:
        found = facula.load(file).df
        assert found.shape == shape and found[1].tolist() == (stand.concentration[1] * 2).tolist()


def test_data_shared_by_many_objects_is_accepted():
    words = [f"w{place}" for place in range(2000)]
    values = [Pair(place, words) for place in range(100)]
    kept = {place: collections.defaultdict(int, a=place) for place in range(10_001)}
    modules = [nn.Identity() for _ in range(100)]
    for module in modules:
        module.words = words
    with facula.serialization.safe_globals([Pair]):
        found, again, networks = facula.load(written([values, kept, modules]))
    assert found == values and all(one.words is found[0].words for one in found)
    assert again == kept and networks[99].words == words


@pytest.mark.parametrize(
    "value", [collections.Counter([(1, 2), (1, 2)]), {(1, (2, 3))}, {frozenset([1]), (1, (2,))}, {(*range(200),): 1}]
)
def test_containers_of_tuples_round_trip(value):
    assert facula.load(written(value)) == value


def test_string_arrays_round_trip_and_object_arrays_are_refused():
    for array in (np.array(["a", "bcd"]), np.array([b"ab", b""]), np.array("x"), np.array([], "U3")):
        found = facula.load(written([array, array.dtype]))
        assert found[0].dtype == found[1] == array.dtype and found[0].tolist() == array.tolist()
    assert facula.load(written(np.str_("abc"))) == "abc"
    for array in (np.array([None]), np.zeros(2, "M8[s]"), np.zeros(1, "i4, f4")):
        with raises(TypeError, "save", "expected NumPy arrays of numbers, bools or texts", "tolist"):
            written(array)


def test_integers_that_load_refuses_are_not_saved():
    assert facula.load(written([(1 << 2039) - 1, -1 << 2000])) == [(1 << 2039) - 1, -1 << 2000]
    with raises(ValueError, "save", "expected integers of at most 2039 bits", "save it as", value="one of 2040"):
        written({"key": 1 << 2039})
