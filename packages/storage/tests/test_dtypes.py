"""The registry of element types."""

import copy
import pickle

import numpy as np
import pytest

import facula_storage
from facula_errors.testing import raises
from facula_storage import DType, bfloat16, contiguous, dtype_named, float32, to_buffer, to_dlpack, to_numpy
from facula_storage._dtypes import DTYPES_PER_DEVICE
from facula_storage.extend import (
    BOOL,
    COMPLEX,
    FLOATING,
    INTEGER,
    allocate,
    dtype_of_code,
    dtype_of_numpy,
    register_dtype,
)

FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float8_e4m3fnuz", "float8_e5m2fnuz"]
NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
         "complex128", "uint16", "uint32", "uint64", *FLOAT8]  # fmt: skip


@pytest.mark.parametrize(("code", "name"), list(enumerate(NAMES, 1)))
def test_the_twenty(code, name):
    dtype = dtype_named(name)
    assert dtype is dtype_of_code(code)
    assert (dtype.name, dtype.code) == (name, code)
    assert repr(dtype) == f"facula.{name}"
    assert dtype is getattr(facula_storage, "bool_" if name == "bool" else name)
    assert dtype.promotes is (code <= 12)
    if name == "bfloat16" or name in FLOAT8:
        assert (dtype.numpy, dtype.itemsize, dtype.category) == (None, 1 + (name == "bfloat16"), FLOATING)
        assert dtype.is_signed == (name != "float8_e8m0fnu")
    else:
        same = np.dtype(name)
        assert dtype.numpy == same
        assert dtype.itemsize == same.itemsize
        assert dtype.category == {"b": BOOL, "u": INTEGER, "i": INTEGER, "f": FLOATING, "c": COMPLEX}[same.kind]
        assert dtype.is_signed == (same.kind not in "bu")
        assert dtype_of_numpy(same) is dtype
    assert dtype.is_floating_point == (dtype.category == FLOATING)
    assert dtype.is_complex == (dtype.category == COMPLEX)


@pytest.mark.parametrize("name", NAMES)
def test_copies_are_the_same_object(name):
    dtype = dtype_named(name)
    assert copy.copy(dtype) is copy.deepcopy(dtype) is pickle.loads(pickle.dumps(dtype)) is dtype


def test_types_that_differ_in_name_only_are_one():
    assert dtype_of_numpy(np.dtype("longlong")) is facula_storage.int64
    assert dtype_of_numpy(np.dtype("intp")) is facula_storage.int64


@pytest.mark.parametrize(
    ("dtype", "why"),
    [
        (">f4", "byte order"),
        ([("a", "f4")], "structured"),
        (">u2", "byte order"),
        ("U3", "not among"),
        ("O", "not among"),
        ("M8[s]", "not among"),
        ("c32", "not among"),
    ],
)
def test_numpy_types_are_refused_by_name(dtype, why):
    with pytest.raises(TypeError, match=why):
        dtype_of_numpy(np.dtype(dtype))


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(TypeError, match=r"'float31'.*bool, uint8.*complex128"):
        dtype_named("float31")


def test_parts_of_complex_types():
    for name, real, joined in [("complex64", "float32", "complex64"), ("complex128", "float64", "complex128"),
                               ("float64", "float64", "complex128"), ("int8", "int8", "complex64")]:  # fmt: skip
        assert dtype_named(name).to_real().name == real
        assert dtype_named(name).to_complex().name == joined


@pytest.fixture(scope="module")
def float8() -> DType:
    return register_dtype("float8_test", 1, FLOATING)


def test_the_registry_is_open(float8):
    assert float8.code == len(NAMES) + 1
    assert dtype_named("float8_test") is dtype_of_code(len(NAMES) + 1) is pickle.loads(pickle.dumps(float8)) is float8
    layout = contiguous((3, 5), float8)
    assert layout.nbytes == 15
    assert layout.dense not in (0, contiguous((3, 5), float32).dense)


def test_a_new_type_has_memory_but_is_not_exported(float8):
    storage, layout = allocate(contiguous((3,), float8)), contiguous((3,), float8)
    for export, error in [(to_numpy, TypeError), (to_buffer, TypeError), (to_dlpack, BufferError)]:
        with raises(error, "...", "float8_test"):
            export(storage, layout)
    assert not getattr(storage, "exports", None)


@pytest.mark.parametrize(
    ("arguments", "numpy", "why"),
    [
        (("float32", 4, FLOATING), None, "exists already"),
        (("broken_test", 0, FLOATING), None, "itemsize 0"),
        (("broken_test", 4, 9), None, "category 9"),
        (("broken_test", 1, FLOATING), "uint8", "which no other dtype uses"),
        (("broken_test", 4, INTEGER), "S2", "of that size"),
    ],
)
def test_registration_refuses(arguments, numpy, why):
    with raises(ValueError, "register_dtype", why):
        register_dtype(*arguments, numpy=numpy)
    with pytest.raises(TypeError):
        dtype_named("broken_test")
    assert dtype_of_numpy(np.dtype("uint8")) is facula_storage.uint8


def test_codes_are_limited(run_python):
    """Further codes would overlap another device's places in a plan table."""
    program = """
from facula_storage._dtypes import DTYPES_PER_DEVICE
from facula_storage.extend import FLOATING, register_dtype
for i in range(21, DTYPES_PER_DEVICE):
    assert register_dtype(f"float{i}_test", 1, FLOATING).code == i
try:
    register_dtype("one_more", 1, FLOATING)
except ValueError as error:
    print(error)
"""
    assert f"there is room for {DTYPES_PER_DEVICE - 1}" in run_python(program)


def test_bfloat16_has_no_numpy_type_to_be_found_by():
    with pytest.raises(TypeError, match=r"structured|not among"):
        dtype_of_numpy(np.dtype("V2"))
    assert bfloat16.numpy is None
