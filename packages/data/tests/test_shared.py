"""SharedList behaves like an immutable list, and does not grow in the processes that read it."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_data import DataLoader, SharedDict, SharedList
from facula_errors import FaculaError
from facula_errors.testing import raises

NUMBERS = st.booleans() | st.integers() | st.floats(allow_nan=False) | st.complex_numbers(allow_nan=False)
LEAVES = NUMBERS | st.text(st.characters()) | st.binary() | st.none()
ANY = st.recursive(LEAVES, lambda one: st.lists(one, max_size=3) | st.tuples(one, one) | st.dictionaries(
    st.text(max_size=3), one, max_size=3), max_leaves=6)  # fmt: skip
LISTS = st.one_of(
    st.lists(st.booleans()),
    st.lists(st.integers()),
    st.lists(st.integers(-(1 << 63), (1 << 63) - 1)),
    st.lists(st.floats(allow_nan=False)),
    st.lists(st.text(st.characters())),
    st.lists(st.binary()),
    st.lists(st.tuples(st.text(), st.integers(0, 9))),
    st.lists(st.tuples(st.tuples(st.text(), ANY))),
    st.lists(ANY),
)
SLICES = st.builds(slice, *[st.none() | st.integers(-12, 12)] * 2, st.none() | st.integers(-3, 3).filter(bool))


def types_of(values):
    return [type(value) for value in values]


@given(LISTS)
def test_it_equals_the_list(values):
    ours = SharedList(values)
    assert list(ours) == values
    assert types_of(ours) == types_of(values)
    assert len(ours) == len(values)
    assert bool(ours) == bool(values)
    assert [ours[i] for i in range(-len(values), len(values))] == values * 2
    assert list(reversed(ours)) == values[::-1]
    assert (ours == values) is True
    assert (ours != [*values, 0]) is True
    for value in values:
        assert value in ours
        assert ours.index(value) == values.index(value)
        assert ours.count(value) == values.count(value)


@given(LISTS, SLICES, SLICES)
def test_slices_and_copies(values, first, second):
    ours = SharedList(values)
    assert list(ours[first]) == values[first]
    assert list(ours[first][second]) == values[first][second]
    part = ours[first][second]
    for protocol in (2, 5):
        again = pickle.loads(pickle.dumps(part, protocol))
        assert again == part == values[first][second]
        assert types_of(again) == types_of(part)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1), st.sampled_from(["<f4", ">f4", "f8", "i2", "c8"]))
def test_scalars_of_numpy(values, dtype):
    with np.errstate(all="ignore"):
        numbers = list(np.array(values).astype(dtype))
    ours = SharedList(numbers)
    assert types_of(ours) == types_of(numbers)
    assert ours == numbers
    assert ours.nbytes == len(values) * np.dtype(dtype).itemsize


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_arrays_of_one_shape_are_views(shape):
    arrays = [np.full(shape, i, ">i4") for i in range(5)]
    ours = SharedList(arrays)
    assert ours == arrays
    assert ours.nbytes == 5 * arrays[0].nbytes
    for one, other in zip(ours, arrays, strict=True):
        assert (type(one), one.dtype, one.shape) == (np.ndarray, other.dtype, other.shape)
        assert not one.flags.writeable
    assert (pickle.loads(pickle.dumps(ours, 5)) == arrays) is True
    native = SharedList([one.astype("=i4") for one in arrays])
    assert (pickle.loads(pickle.dumps(native, 4)) == native) is True  # for others, NumPy changes the byte order
    assert ours != [np.full(shape, i, "<i8") for i in range(5)]


@pytest.mark.parametrize(
    "values",
    [
        [np.zeros(2), np.ones(3)],
        [np.array(["a", "bc"]), np.array(["d", "e"])],
        [np.array(["a", None], object)] * 2,
        [np.array([(1, 2.0)], "i4,f8")] * 3,
        [np.datetime64("2020-01-01"), np.datetime64("2020-01-02T03")],
        [np.str_("a"), np.str_("b")],
        [np.ma.masked_array([1, 2], [True, False])] * 2,
        [np.array(["a", "b"], np.dtypes.StringDType())] * 2,
        [(), ()],
        [(1,), (1, 2)],
        [True, 1, 1.0],
        [1 << 70, 2],
        [range(3), slice(1, 2), Path("a")],
        ["\ud800", "é", "", "\0"],
    ],
)
def test_mixed_elements_are_restored(values):
    ours = pickle.loads(pickle.dumps(SharedList(values)))
    assert types_of(ours) == types_of(values)
    for one, other in zip(ours, values, strict=True):
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)
        else:
            assert one == other


def test_it_cannot_be_changed():
    ours = SharedList(["a", "b"])
    with pytest.raises(TypeError):
        ours[0] = "c"
    with pytest.raises(TypeError):
        hash(ours)
    assert copy.copy(ours) is ours
    assert copy.deepcopy(ours) is ours
    given_array = np.arange(4.0)
    held = SharedList([given_array])
    given_array[0] = 9  # the elements were copied
    assert held[0][0] == 0


def test_sizes_are_those_of_the_elements():
    assert SharedList(range(1000)).nbytes == 8000
    assert SharedList([True] * 1000).nbytes == 1000
    assert SharedList(["abcd"] * 1000).nbytes == 4000 + 4004
    assert SharedList([("abcd", 1)] * 1000).nbytes == 4000 + 4004 + 8000


def test_repr():
    assert repr(SharedList()) == "SharedList([], empty, 4 B)"
    assert repr(SharedList(["ant", "bee", "cat", "dog"])) == "SharedList(['ant', 'bee', 'cat', ...], 4 str, 32 B)"
    assert "4 (str, int) tuples" in repr(SharedList([("a", 1)] * 4))
    assert "2 float64 (3,) arrays, 48 B" in repr(SharedList(np.zeros((2, 3))))


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: SharedList(3), TypeError, "SharedList: expected elements to be an iterable; got 3"),
        (lambda: SharedList({"a": 1}), TypeError, "SharedList: SharedDict holds a mapping"),
        (lambda: SharedList([1, lambda: 0]), TypeError, "SharedList: in element 1"),
        (lambda: SharedList([], file=3), TypeError, "SharedList: expected file to be a path; got file=3"),
        (lambda: SharedList([1])[1], IndexError, "SharedList: expected an index from -1 to 0; got 1"),
        (lambda: SharedList([1])["a"], TypeError, "SharedList: expected an integer as index; got 'a'"),
        (lambda: SharedList([1], file="/nowhere/at/all"), OSError, "SharedList: cannot write '/nowhere/at/all'"),
        (lambda: SharedList.open("/nowhere/at/all"), FileNotFoundError, "SharedList.open: cannot read"),
    ],
)
def test_errors_say_what_is_wrong(make, error, said):
    with raises(error, said) as caught:
        make()
    assert isinstance(caught.value, FaculaError)


def test_buffers_travel_out_of_band():
    ours = SharedList(["text"] * 10_000)
    buffers = []
    header = pickle.dumps(ours, 5, buffer_callback=buffers.append)
    assert len(header) < 1000
    again = pickle.loads(header, buffers=buffers)
    assert again == ours


def test_files_are_mapped(tmp_path):
    place = tmp_path / "names"
    names = [f"name {i}" for i in range(1000)]
    ours = SharedList(names, file=place)
    assert ours.file == place
    assert ours == names == SharedList.open(place)
    assert f"file={str(place)!r}" in repr(ours)
    assert list(tmp_path.iterdir()) == [place]  # without any partial file
    part = ours[10:2:-3]
    sent = pickle.dumps(part)
    assert len(sent) < 500
    assert pickle.loads(sent) == part == names[10:2:-3]
    with open("/proc/self/maps") as maps:
        assert str(place) in maps.read()
    SharedList(names[:2], file=place)  # another file of the same name
    assert ours == names
    with raises(ValueError, "SharedList", "was rewritten"):
        pickle.loads(sent)


def test_files_of_another_kind_are_refused(tmp_path):
    place = tmp_path / "file"
    SharedDict({"a": 1}, file=place)
    with raises(ValueError, "SharedList.open", "expected the file of a SharedList", "is of a SharedDict"):
        SharedList.open(place)
    whole = place.read_bytes()
    for size in (len(whole) - 1, 60, 20, 0):
        place.write_bytes(whole[:size])
        with raises(ValueError, "SharedDict.open", "cut short" if size > 20 else "begins otherwise"):
            SharedDict.open(place)
    header = whole.index(b"SharedDict") - 10
    place.write_bytes(whole[:header] + b"\xff" * 10 + whole[header + 10 :])
    with raises(ValueError, "SharedDict.open", "cannot be decoded"):
        SharedDict.open(place)
    place.write_bytes(b"x" * 100)
    with raises(ValueError, "SharedDict.open", "begins otherwise"):
        SharedDict.open(place)


def test_another_process_maps_the_file(tmp_path):
    place = tmp_path / "pairs"
    ours = SharedDict({f"key {i}": i for i in range(1000)}, file=place)
    (tmp_path / "sent").write_bytes(pickle.dumps(ours))
    program = (
        "import pickle, sys; found = pickle.load(open(sys.argv[1], 'rb')); "
        "print(found['key 7'], len(found), 'no' in found)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}  # with other string hashes
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "sent")], capture_output=True, text=True, env=environment
    )
    assert done.stdout.split() == ["7", "1000", "False"], done.stderr


def test_a_loader_reads_it():
    batches = list(DataLoader(SharedList([(np.full(2, i), f"{i}") for i in range(5)]), batch_size=2))
    assert batches[1][0].tolist() == [[2, 2], [3, 3]]
    assert list(batches[1][1]) == ["2", "3"]


def private_memory():
    """Return the bytes of memory private to this process: in a forked child, those written since the fork."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Private_Dirty"))


def grown_by_reading(values):
    """Return by how many bytes a forked child grows that reads all elements."""
    assert sum(1 for _ in values) == len(values)  # file pages read by only one process count as private
    reading, writing = os.pipe()
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy's threads, which the child does not use
        child = os.fork()
    if not child:
        try:
            gc.disable()
            before = private_memory()
            for value in values:
                value
            for index in range(0, len(values), 3):
                values[index]
            os.write(writing, str(private_memory() - before).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        grown = int(answer.read())
    os.waitpid(child, 0)
    return grown


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is measured by Linux's smaps_rollup")
def test_reading_in_a_forked_worker_uses_no_memory(tmp_path):
    values = [f"a name of some length, number {i}" for i in range(200_000)]
    size = sum(map(sys.getsizeof, values))
    as_list = grown_by_reading(values)
    assert as_list > size / 2  # pages of nearly all of the memory
    for ours in (SharedList(values), SharedList(values, file=tmp_path / "names"), SharedList([(v, 1) for v in values])):
        assert grown_by_reading(ours) < min(as_list / 5, 4 << 20)
    pickled = SharedList([{"name": value} for value in values])
    assert grown_by_reading(pickled) < min(as_list / 5, 4 << 20)
