"""Zero-copy exchange with NumPy."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_helpers import counting, live

from facula_errors.testing import raises
from facula_storage import (
    bfloat16,
    contiguous,
    cpu,
    dtype_named,
    float32,
    float64,
    from_numpy,
    layout_of,
    meta,
    to_buffer,
    to_dlpack,
    to_numpy,
)
from facula_storage.extend import allocate

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name):
    array = np.arange(24).reshape(2, 3, 4).astype(name)[:, ::2, 1:]
    storage, layout = from_numpy(array)
    assert layout.dtype.name == name
    assert layout.shape == array.shape
    assert storage.ptr == array.ctypes.data
    assert (storage.version, storage.base, storage.nbytes) == (0, array, layout.extent)
    back = to_numpy(storage, layout)
    assert back.ctypes.data == array.ctypes.data
    assert (back.dtype, back.shape, back.strides) == (array.dtype, array.shape, array.strides)
    assert back.flags.writeable
    back[0, 0, 0] = 1 - array[0, 0, 0]
    assert np.array_equal(array, back)


@given(st.data())
def test_any_view(data):
    """Every slice with positive steps, transposed and broadcast, has the same elements at the same addresses."""
    base = np.arange(120, dtype=data.draw(st.sampled_from(["int16", "float64"]))).reshape(4, 5, 6)
    steps = st.slices
    view = base[tuple(data.draw(steps(size)) for size in base.shape)]
    view = view.transpose(data.draw(st.permutations(range(3))))
    if data.draw(st.booleans()):
        view = np.broadcast_to(view, (2, *view.shape))
    if any(step < 0 for step in view.strides):
        with raises(ValueError, "from_numpy", "negative stride"):
            from_numpy(view)
        return
    storage, layout = from_numpy(view)
    back = to_numpy(storage, layout)
    assert np.array_equal(back, view)
    assert back.flags.writeable == view.flags.writeable
    if view.size:
        assert back.ctypes.data == view.ctypes.data
        assert back.strides == view.strides


@pytest.mark.parametrize("count", [1, 1 << 24])
def test_nothing_is_allocated(count):
    """For any size, no block is allocated, and Python allocates only the objects."""
    array = np.ones(count, np.float32)
    from_numpy(array)
    before, figures = live(), tracemalloc_peak(lambda: [to_numpy(*from_numpy(array)) for _ in range(3)])
    assert live() == before
    assert figures < 20_000
    storage, layout = allocate(contiguous((count,), float32)), contiguous((count,), float32)
    before = live()
    figures = tracemalloc_peak(lambda: [to_numpy(storage, layout).ctypes.data for _ in range(3)])
    assert live() == before
    assert figures < 20_000
    assert to_numpy(storage, layout).ctypes.data == storage.ptr


def tracemalloc_peak(work):
    work()  # caches are filled
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_offsets():
    storage, _ = counting(contiguous((6,), float32))
    assert to_numpy(storage, contiguous((3,), float32), 12).tolist() == [3, 4, 5]
    assert to_numpy(storage, layout_of((2,), (2,), float32), 4).tolist() == [1, 3]
    assert to_numpy(storage, contiguous((), float32), 8) == 2


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_empty(shape):
    storage, layout = from_numpy(np.empty(shape, np.int16))
    assert (storage.ptr, layout.nbytes) == (0, 0)
    assert to_numpy(storage, layout).shape == shape
    assert to_numpy(allocate(layout), layout).shape == shape
    assert to_numpy(storage, layout_of(shape, (9,) * len(shape), layout.dtype)).shape == shape


def test_no_dimension():
    array = np.array(3.5)
    storage, layout = from_numpy(array)
    back = to_numpy(storage, layout)
    back[()] = 4
    assert array == 4


def test_read_only_memory_stays_read_only():
    array = np.arange(3)
    array.flags.writeable = False
    storage, layout = from_numpy(array)
    assert storage.version is None
    assert "read-only NumPy array" in storage.readonly
    back = to_numpy(storage, layout)
    with pytest.raises(ValueError, match="read-only"):
        back[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        back.flags.writeable = True


def unaligned(count=3):
    return np.frombuffer(bytearray(count * 4 + 1), np.uint8)[1:].view(np.float32)


@pytest.mark.parametrize(
    ("array", "error", "why"),
    [
        (np.arange(3.0).astype(">f8"), TypeError, r"byte order; use .astype\('float64'\)"),
        (np.zeros(3, [("a", "f4"), ("b", "i4")]), TypeError, "structured"),
        (unaligned(), ValueError, "aligned to 4 bytes"),
        (np.zeros(3, [("a", "f4"), ("b", "i1")])["a"], ValueError, r"strides \(5,\)"),
        (np.arange(3)[::-1], ValueError, "negative stride"),
        (np.array(["a"]), TypeError, "not among"),
        (np.array([None]), TypeError, "not among"),
        (np.zeros(2, "datetime64[s]"), TypeError, "datetime64"),
        (np.zeros(2, np.longdouble), TypeError, "longdouble|float128"),
        (np.zeros(2, "V2"), TypeError, "cannot be used"),
        ([1, 2], TypeError, "got list"),
        (np.float64(3), TypeError, "got float64"),
    ],
)
def test_refusals(array, error, why):
    before = live()
    with pytest.raises(error, match=why):
        from_numpy(array)
    assert live() == before


def test_a_field_whose_steps_fit_is_taken():
    array = np.zeros(3, [("a", "f4"), ("b", "i4")])
    storage, layout = from_numpy(array["b"])
    to_numpy(storage, layout)[...] = [1, 2, 3]
    assert array["b"].tolist() == [1, 2, 3]


def test_bfloat16_has_no_array():
    layout = contiguous((2,), bfloat16)
    storage = allocate(layout)
    with raises(TypeError, "numpy", "NumPy has no bfloat16", "convert with .float()"):
        to_numpy(storage, layout)
    assert not getattr(storage, "exports", None)


def test_memory_elsewhere():
    layout = contiguous((2,), float32, meta)
    with raises(TypeError, "numpy", "device 'meta'", "copy it with .cpu()"):
        to_numpy(allocate(layout), layout)


def test_a_mapped_file(tmp_path):
    path = tmp_path / "numbers"
    np.arange(10, dtype=np.int32).tofile(path)
    storage, layout = from_numpy(np.memmap(path, np.int32, mode="r"))
    assert storage.version is None
    assert to_numpy(storage, layout).sum() == 45
    storage, layout = from_numpy(np.memmap(path, np.int32, mode="r+"))
    to_numpy(storage, layout)[0] = 55
    assert np.fromfile(path, np.int32).sum() == 100


def test_the_cpu_is_where_numpy_is():
    assert from_numpy(np.zeros(1))[1].device is cpu
    assert dtype_named("float64") is from_numpy(np.zeros(1))[1].dtype


@pytest.mark.parametrize("share", [to_numpy, to_buffer, to_dlpack])
@pytest.mark.parametrize(
    ("shape", "offset", "why"),
    [((100,), 0, "takes bytes 0 to 800; the storage has 48"), ((1,), -8, "takes bytes -8 to 0"),
     ((6,), 8, "takes bytes 8 to 56"), ((2,), 3, "not a multiple of float64's")],
)  # fmt: skip
def test_memory_outside_the_buffer_is_not_shared(share, shape, offset, why):
    storage, _ = from_numpy(np.arange(6.0))
    with pytest.raises(ValueError, match=why):
        share(storage, contiguous(shape, float64), offset)
    assert not getattr(storage, "exports", None)
    share(storage, contiguous((5,), float64), 8)
