"""save and load: containers are restored without pickle, from files that other readers can open."""

from __future__ import annotations

import math
from collections import OrderedDict, namedtuple
from enum import IntEnum

import numpy as np
import pytest
import safetensors.numpy
from checkpoint_testing import Tensor, kept, parts, tensor, to_parts
from hypothesis import given
from hypothesis import strategies as some

import facula_storage as st
from facula_checkpoint import load, load_file, load_metadata, save, save_file
from facula_errors.testing import raises
from facula_storage.extend import alias


def same(a, b):
    """Return whether values are equal with the same types at every level; NaN equals itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return len(a) == len(b) and all(map(same, a.keys(), b.keys())) and all(map(same, a.values(), b.values()))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, complex):
        return same(a.real, b.real) and same(a.imag, b.imag)
    if isinstance(a, float):
        return math.copysign(1, a) == math.copysign(1, b) and a == b if a == a else b != b
    return a == b


def example():
    return {
        "model": OrderedDict(weight=tensor([[1.0, 2.0]]), bias=tensor([3.0])),
        "optimizer": {"state": {0: {"step": 7, "moment": tensor([1, 2])}}, "betas": (0.9, 0.999), "amsgrad": False},
        "history": [1.5, math.inf, None, "ü"],
        ("a", 1): complex(1, -0.0),
    }


@pytest.mark.parametrize("how", [{}, {"lazy": True}, {"lazy": True, "copy": True}], ids=str)
def test_a_training_run_round_trip(path, how):
    assert same(kept(example(), path, **how), example())


scalars = (
    some.none() | some.booleans() | some.integers() | some.floats() | some.complex_numbers() | some.text(max_size=5)
) | some.text(some.characters(), max_size=3)
keys = scalars.filter(lambda key: key == key) | some.tuples(some.integers(), some.text(max_size=2))
tensors = some.lists(some.integers(-9, 9), max_size=3).map(tensor)
objects = some.recursive(
    scalars | tensors,
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.lists(inner, max_size=3).map(tuple)
        | some.dictionaries(keys, inner, max_size=3)
        | some.dictionaries(keys, inner, max_size=3).map(OrderedDict)
    ),
    max_leaves=10,
)


@given(value=objects)
def test_any_object_round_trip(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("any") / "object"
    assert same(kept(value, path), value)
    safetensors.numpy.load_file(path)


@pytest.mark.parametrize(
    "value", [10**5000, -(2**63) - 1, 2**63 - 1, -0.0, 5e-324, "\ud800", "\0", {}, [], ()], ids=type
)
def test_extreme_values(path, value):
    assert same(kept([value], path), [value])


def test_a_key_that_python_would_not_print(path):
    value = {10**5000: {"t": tensor([1.0])}}
    assert same(kept(value, path), value)
    with raises(TypeError, "save", "[a large integer][0] is a builtins.bytes"):
        save({10**5000: [b""]}, path)


def test_one_tensor_alone(path):
    assert kept(tensor([1.0]), path) == tensor([1.0])
    assert list(load_file(path)) == ["tensor"]


def test_tensors_are_named_by_their_path(path):
    save(example(), path, to_parts=to_parts)
    names = ["model.weight", "model.bias", "optimizer.state.0.moment"]
    assert list(load_file(path)) == names
    assert sorted(safetensors.numpy.load_file(path)) == sorted(names)


def test_a_state_dict_keeps_its_names(path):
    state = {"fc.weight": tensor([1.0, 2.0]), "fc.bias": tensor([3.0])}
    save(state, path, to_parts=to_parts)
    theirs = safetensors.numpy.load_file(path)
    assert {name: array.tolist() for name, array in theirs.items()} == {"fc.weight": [1.0, 2.0], "fc.bias": [3.0]}


def test_colliding_names_are_made_unique(path):
    value = {
        "a.b": tensor([1]),
        "a": {"b": tensor([2])},
        "a.b#2": tensor([3]),
        "__metadata__": tensor([4]),
        "": tensor([5]),
        "\ud800": tensor([6]),
        "?": tensor([7]),
        1: tensor([8]),
        "1": tensor([9]),
    }
    assert same(kept(value, path), value)
    assert len(safetensors.numpy.load_file(path)) == len(value)


def test_shared_memory_is_written_once_and_stays_shared(path):
    tied = tensor([1.0, 2.0])
    followed = Tensor((alias(tied.parts[0]), *tied.parts[1:]))
    value = {"embedding": tied, "head": tied, "data": followed, "copy": tensor([1.0, 2.0])}
    loaded = kept(value, path)
    assert list(load_file(path)) == ["embedding", "copy"]
    st.to_numpy(*loaded["embedding"].parts)[0] = 7.0
    assert st.to_numpy(*loaded["head"].parts)[0] == st.to_numpy(*loaded["data"].parts)[0] == 7.0
    assert st.to_numpy(*loaded["copy"].parts)[0] == 1.0
    assert loaded["embedding"] is not loaded["head"]


def test_views_of_one_memory_are_written_in_full(path):
    base = np.arange(4.0)
    value = [tensor(base), tensor(base[:2]), tensor(base[::2]), tensor(base[:0]), tensor(base[:0])]
    assert same(kept(value, path), value)
    assert len(load_file(path)) == 5


def test_without_a_codec_the_triples_are_the_tensors(path):
    save([parts([1.0]), (1, 2, 3)], path)
    (storage, layout, offset), numbers = load(path)
    assert st.to_numpy(storage, layout, offset).tolist() == [1.0]
    assert numbers == (1, 2, 3)


def test_custom_metadata(path):
    save([1], path, metadata={"author": "me"})
    assert load_metadata(path) == {"author": "me"}
    with raises(ValueError, "save", "reserved"):
        save([1], path, metadata={"facula.structure": "mine"})


def test_files_of_other_programs_are_dicts_of_tensors(path):
    safetensors.numpy.save_file({"w": np.arange(3.0)}, path)
    assert load(path, from_parts=Tensor) == {"w": tensor(np.arange(3.0))}


Pair = namedtuple("Pair", "a b")
Colour = IntEnum("Colour", "RED")
CYCLE: list = []
CYCLE.append(CYCLE)


def deep(levels):
    value: object = 1
    for _ in range(levels):
        value = {"k": [value]}
    return value


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ({"a": [1, {2}]}, TypeError, "the object['a'][1] is a builtins.set; expected a tensor, dict"),
        ([Pair(1, 2)], TypeError, "the object[0] is a test_nested.Pair"),
        ([Colour.RED], TypeError, "Colour"),
        ([np.longdouble(1)], TypeError, "numpy.longdouble"),
        ([np.datetime64(0, "s")], TypeError, "numpy.datetime64"),
        ([np.timedelta64(0, "s")], TypeError, "numpy.timedelta64"),
        ([np.bytes_(b"b")], TypeError, "numpy.bytes_"),
        ([np.ma.masked_array([1], [True])], TypeError, "numpy.ma ... MaskedArray"),
        ({"a": np.array([None])}, TypeError, "the object['a'] is a NumPy array of dtype 'object' ... tolist"),
        ([np.zeros(2, "i4,f8")], TypeError, "NumPy array of dtype ... f0 ... save its fields one by one"),
        ([np.array(["a"])], TypeError, "dtype '<U1' ... tolist"),
        ([np.array([b"a"])], TypeError, "dtype '|S1' ... uint8"),
        ([np.zeros(1, "M8[s]")], TypeError, "dtype 'datetime64[s]' ... view('int64')"),
        ([np.zeros(1, "m8[s]")], TypeError, "dtype 'timedelta64[s]' ... view('int64')"),
        ([np.zeros(1, np.longdouble)], TypeError, "astype"),
        ([b"bytes"], TypeError, "builtins.bytes"),
        ([lambda: 0], TypeError, "function"),
        ({frozenset(): 1}, TypeError, "has the key frozenset(); expected keys of str"),
        ({(1, b""): 1}, TypeError, "has the key b''"),
        (CYCLE, ValueError, "contain itself"),
        (deep(60), ValueError, "more than 100 containers deep"),
    ],
    ids=lambda value: "" if isinstance(value, (list, dict)) else None,
)
def test_unsupported_values_are_rejected_with_their_path(path, value, error, message):
    save([1], path)
    with raises(error, "save", message):
        save(value, path)
    assert load(path) == [1]


ARRAYS = {
    "each dtype": [
        np.arange(6).reshape(2, 3).astype(dtype)
        for dtype in "? u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8 c8 c16 >i2 >u4 >f8 >c16".split()
    ],
    "extremes": [np.array([0, 2**64 - 1], "u8"), np.array([-0.0, np.nan, np.inf]), np.array([2**16 - 1], ">u2")],
    "strides": [
        np.arange(12.0)[::-2], np.arange(12, dtype="u2").reshape(3, 4).T, np.arange(12).reshape(3, 4)[:, 1:3],
        np.broadcast_to(np.arange(3.0), (4, 3)), np.arange(41, dtype="u1")[1:41].view("f4"),
        np.zeros(3, "i1,f8")["f1"], np.asfortranarray(np.eye(3)),
    ],
    "shapes": [np.array(3), np.array(2.5, ">f4"), np.zeros((0, 3)), np.zeros((2, 0), "u4"), np.zeros((1,) * 20)],
}  # fmt: skip


@pytest.mark.parametrize("kind", ARRAYS)
@pytest.mark.parametrize("how", [{}, {"lazy": True}, {"lazy": True, "copy": True}], ids=str)
def test_arrays_come_back_as_arrays(path, kind, how):
    for array in ARRAYS[kind]:
        save({"a": [array], "t": tensor([1.0])}, path, to_parts=to_parts)
        loaded = load(path, from_parts=Tensor, **how)["a"][0]
        assert type(loaded) is np.ndarray
        assert loaded.dtype == array.dtype.newbyteorder("=") and loaded.dtype.isnative
        np.testing.assert_array_equal(loaded, array)
        assert loaded.flags.c_contiguous
        assert loaded.flags.writeable is (how != {"lazy": True})
        assert safetensors.numpy.load_file(path)["a.0"].size == array.size * (2 if array.dtype.char == "D" else 1)


def test_mapped_arrays_of_other_programs_are_arrays(path, tmp_path):
    kept_here = np.memmap(tmp_path / "raw", "f4", "w+", shape=(3,))
    kept_here[:] = [1, 2, 3]
    save(kept_here, path)
    assert type(load(path)) is np.ndarray and load(path).tolist() == [1.0, 2.0, 3.0]


def test_arrays_and_tensors_of_one_memory_keep_sharing_it(path):
    array = np.arange(4, dtype="u4")
    save([array, array, array.view("i4"), tensor(array.view("i4"))], path, to_parts=to_parts)
    assert list(load_file(path)) == ["0", "2"]
    first, second, signed, made = load(path, from_parts=Tensor)
    first[0], signed[0] = 2**32 - 1, -2
    assert second[0] == 2**32 - 1 and st.to_numpy(*made.parts)[0] == -2


def test_numpys_numbers_come_back_as_pythons(path):
    value = {
        "numbers": [np.bool_(1), np.int8(-3), np.uint64(2**64 - 1), np.float16(0.5), np.float32(0.1)],
        "infinite": np.float64("-inf"), "complex": (np.complex64(1 + 2j), np.complex128(-0.0)),
        "text": np.str_("ü"), np.int64(3): {np.str_("k"): 1},
    }  # fmt: skip
    expected = {
        "numbers": [True, -3, 2**64 - 1, 0.5, 0.10000000149011612],
        "infinite": -math.inf, "complex": (1 + 2j, complex(-0.0)), "text": "ü", 3: {"k": 1},
    }  # fmt: skip
    save(value, path)
    assert same(load(path), expected)
    assert load(path)[np.int64(3)] == {"k": 1}


def test_to_parts_precedes_arrays(path):
    """If `to_parts` accepts arrays, they are loaded as tensors; `default` may return arrays."""
    save([np.ones(2)], path, to_parts=lambda value: parts(value) if isinstance(value, np.ndarray) else None)
    assert load(path, from_parts=lambda parts: "made") == ["made"]
    save([{1, 2}], path, default=lambda value: np.array(sorted(value)))
    assert load(path)[0].tolist() == [1, 2]


def test_default_converts_other_types(path):
    """Like `default` of json.dumps: unchanged values are rejected, and its results may be containers."""

    def default(value):
        if isinstance(value, Pair):
            return {"a": value.a, "b": value.b}
        return repr(value) if isinstance(value, bytes) else value

    save([Pair(Pair(1, b"x"), None)], path, default=default)
    assert load(path) == [{"a": {"a": 1, "b": "b'x'"}, "b": None}]
    with raises(TypeError, "save", "the object[0]['a'] is a builtins.set"):
        save([Pair({1}, 2)], path, default=default)


def test_the_error_suggests_state_dict(path):
    class Module:
        def state_dict(self):
            return {}

    with raises(TypeError, "save", "the object['model'] is a", "Module", "save its state_dict()"):
        save({"model": Module()}, path)


def test_the_deepest_containers_come_back(path):
    assert kept(deep(50), path) == deep(50)


def test_save_file_and_load_are_compatible(path):
    save_file({"a": parts([1.0])}, path)
    assert load(path, from_parts=Tensor) == {"a": tensor([1.0])}
