"""The buffer protocol, in both directions."""

import array
import ctypes
import mmap

import numpy as np
import pytest
from storage_helpers import counting, live

from facula_errors.testing import raises
from facula_storage import (
    Export,
    bfloat16,
    contiguous,
    dtype_named,
    float32,
    from_buffer,
    from_numpy,
    int16,
    int32,
    layout_of,
    meta,
    to_buffer,
    to_numpy,
    uint8,
)
from facula_storage.extend import allocate

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


def test_a_shape_that_numpy_cannot_count_is_named():
    layout = contiguous((1 << 40, 1 << 40, 0), int16)
    with raises(ValueError, "numpy", "shape", "has no elements, but NumPy counts", "drop a dimension"):
        to_numpy(allocate(layout), layout)
    small = contiguous((1 << 60, 0), int16)
    assert to_numpy(allocate(small), small).shape == (1 << 60, 0)


@pytest.mark.parametrize("name", NAMES)
def test_every_type_has_a_format(name):
    source = np.arange(6).reshape(2, 3).astype(name)
    storage, layout = from_numpy(source)
    view = memoryview(to_buffer(storage, layout))
    assert (view.shape, view.strides) == ((2, 3), source.strides)
    assert (view.itemsize, view.nbytes) == (source.itemsize, source.nbytes)
    back = np.asarray(view)
    assert back.dtype == source.dtype
    assert back.ctypes.data == source.ctypes.data
    assert np.array_equal(back, source)


def test_writing_through():
    storage, layout = counting()
    view = memoryview(to_buffer(storage, layout))
    view[1, 2] = 50.0
    assert to_numpy(storage, layout)[1, 2] == 50
    assert view.tolist() == [[0, 1, 2], [3, 4, 50]]


def test_offsets_and_strides():
    storage, _ = counting(contiguous((6,), int32))
    view = memoryview(to_buffer(storage, layout_of((2, 2), (1, 2), int32), 4))
    assert view.tolist() == [[1, 3], [2, 4]]
    assert not view.c_contiguous
    assert memoryview(to_buffer(storage, contiguous((), int32), 8)).tolist() == 2


def test_read_only():
    storage, layout = from_buffer(b"abc", uint8)
    assert storage.version is None
    assert "read-only bytes" in storage.readonly
    export = to_buffer(storage, layout)
    assert memoryview(export).readonly
    assert ask(export, SIMPLE) == (1, False, False, None)
    assert "the memory is read-only" in ask(export, WRITABLE)
    with pytest.raises(TypeError):
        memoryview(export)[0] = 1


@pytest.mark.parametrize("shape", [(0,), (0, 2), (2, 0)])
def test_empty(shape):
    layout = contiguous(shape, float32)
    view = memoryview(to_buffer(allocate(layout), layout))
    assert (view.shape, view.nbytes, view.tobytes()) == (shape, 0, b"")


def test_nothing_is_allocated():
    storage, layout = counting(contiguous((1 << 20,), float32))
    before = live()
    view = memoryview(to_buffer(storage, layout))
    assert np.asarray(view).ctypes.data == storage.ptr
    other, _ = from_buffer(view, float32)
    assert other.ptr == storage.ptr
    assert live() == before


def test_refusals():
    layout = contiguous((2,), bfloat16)
    with raises(TypeError, "buffer", "no format for bfloat16"):
        to_buffer(allocate(layout), layout)
    layout = contiguous((2,), float32, meta)
    with raises(TypeError, "buffer", "device 'meta'"):
        to_buffer(allocate(layout), layout)


# Requests of a consumer in C -------------------------------------------------------------------------------------
SIMPLE, WRITABLE, FORMAT, ND, STRIDES = 0, 1, 4, 8, 0x10 | 8
C_CONTIGUOUS, F_CONTIGUOUS, ANY_CONTIGUOUS = 0x20 | STRIDES, 0x40 | STRIDES, 0x80 | STRIDES


class PyBuffer(ctypes.Structure):
    """Py_buffer of the C API."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


def ask(export, flags):
    """Return an export's response to these flags: (ndim, has shape, has strides, format), or the error's text."""
    view = PyBuffer()
    try:
        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(export), ctypes.byref(view), flags)
    except BufferError as error:
        return str(error)
    answer = (view.ndim, bool(view.shape), bool(view.strides), view.format)
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    return answer


@pytest.fixture(scope="module")
def exports():
    storage, layout = counting(contiguous((2, 3), int32))
    column = layout_of((6,), (2,), int32)
    return {
        "plain": to_buffer(storage, layout),
        "transposed": to_buffer(storage, layout_of((3, 2), (1, 3), int32)),
        "line": to_buffer(storage, contiguous((6,), int32)),
        "steps": to_buffer(counting(contiguous((12,), int32))[0], column),
    }


@pytest.mark.parametrize(
    ("which", "flags", "answer"),
    [
        ("plain", SIMPLE, (1, False, False, None)),
        ("plain", SIMPLE | WRITABLE, (1, False, False, None)),
        ("plain", FORMAT, (1, False, False, b"i")),
        ("plain", ND, (2, True, False, None)),
        ("plain", STRIDES | FORMAT, (2, True, True, b"i")),
        ("plain", C_CONTIGUOUS, (2, True, True, None)),
        ("plain", ANY_CONTIGUOUS, (2, True, True, None)),
        ("plain", F_CONTIGUOUS, "buffer: Fortran order is not exported"),
        ("line", F_CONTIGUOUS, (1, True, True, None)),
        ("transposed", STRIDES, (2, True, True, None)),
        ("transposed", ND, "buffer: the array is not contiguous"),
        ("transposed", SIMPLE, "buffer: the array is not contiguous"),
        ("transposed", C_CONTIGUOUS, "buffer: the array is not C-contiguous"),
        ("transposed", ANY_CONTIGUOUS, "buffer: the array is not C-contiguous"),
        ("steps", STRIDES, (1, True, True, None)),
        ("steps", F_CONTIGUOUS, "buffer: Fortran order is not exported"),
        ("steps", ND, "buffer: the array is not contiguous"),
    ],
)
def test_each_kind_of_request(exports, which, flags, answer):
    got = ask(exports[which], flags)
    assert got.startswith(answer) if isinstance(answer, str) else got == answer


@pytest.mark.parametrize(
    ("shape", "strides", "itemsize"),
    [
        ((2,), (4, 4), 4),
        ((-1,), (4,), 4),
        ((2,), (4,), 0),
        ((1 << 40, 1 << 40), (4, 4), 4),
        ((0, 1 << 62, 1 << 62), (4, 4, 4), 4),
        ((1,) * 65, (4,) * 65, 4),
    ],
)
def test_invalid_exports(shape, strides, itemsize):
    with pytest.raises(ValueError, match="Export: "):
        Export(None, int, 64, "i", itemsize, shape, strides, False)


def test_an_export_takes_no_keywords():
    with pytest.raises(TypeError, match="positional"):
        Export(None, int, 64, "i", 4, (), (), False, readonly=True)


def test_an_export_that_fails_releases_nothing():
    calls = []
    with pytest.raises(ValueError):
        Export(None, lambda: calls.append(1), 64, "i", 4, (-1,), (4,), False)
    with pytest.raises(TypeError):
        Export(None, lambda: calls.append(1), 64, "i", 4, ("x",), (4,), False)
    assert calls == []


# The other direction -----------------------------------------------------------------------------------------------
def test_from_any_buffer():
    mapped = mmap.mmap(-1, 16)
    for source in (bytearray(16), array.array("i", range(4)), memoryview(bytearray(16)), (ctypes.c_int * 4)(), mapped):
        storage, layout = from_buffer(source, int32)
        assert (layout.shape, storage.version) == ((4,), 0)
        to_numpy(storage, layout)[2] = 77
        assert memoryview(source).cast("B").cast("i")[2] == 77


def test_the_source_stays_as_it_is_while_borrowed():
    source = bytearray(8)
    storage, _ = from_buffer(source, uint8)
    with pytest.raises(BufferError):
        source.append(1)
    del storage
    source.append(1)


def test_count_and_offset():
    source = bytearray(range(16))
    assert from_buffer(source, uint8, 3, 5)[1] is contiguous((3,), uint8)
    assert to_numpy(*from_buffer(source, uint8, 3, 5)).tolist() == [5, 6, 7]
    assert to_numpy(*from_buffer(source, int16, offset=14)).tolist() == [15 * 256 + 14]
    assert from_buffer(source, int32, 0)[0].ptr == 0
    assert from_buffer(b"", int32)[1].numel == 0
    assert from_buffer(source, int32, offset=16)[1].numel == 0
    assert from_buffer(source, bfloat16)[1].numel == 8


@pytest.mark.parametrize(
    ("arguments", "error", "why"),
    [
        ((bytearray(7), int32), ValueError, "7 bytes are not a whole number of int32"),
        ((bytearray(8), int32, 3), ValueError, "count is 3; expected -1 to 2"),
        ((bytearray(8), int32, -2), ValueError, "count is -2"),
        ((bytearray(8), int32, 1, 9), ValueError, "offset is 9; expected 0 to 8"),
        ((bytearray(8), int32, 1, -1), ValueError, "offset is -1"),
        ((bytearray(8), int32, 1, 1), ValueError, "offset 1 leaves int32 elements unaligned"),
        ((memoryview(bytearray(8))[::2], uint8), ValueError, "not C-contiguous"),
        ((memoryview(bytearray(8))[::-1], uint8), ValueError, "not C-contiguous"),
        ((np.zeros((2, 3), order="F"), uint8), ValueError, "not C-contiguous"),
        (([1, 2], uint8), TypeError, "expected an object with the buffer protocol; got list"),
        (("text", uint8), TypeError, "got str"),
    ],
)
def test_from_buffer_refuses(arguments, error, why):
    with raises(error, "frombuffer", why):
        from_buffer(*arguments)


def test_dtypes_reinterpret_bytes():
    storage, layout = from_buffer(np.array([1 + 2j], "c8"), dtype_named("float32"))
    assert to_numpy(storage, layout).tolist() == [1, 2]
