"""DLPack: exchange with NumPy, and with torch if it is installed."""

import weakref

import numpy as np
import pytest
from storage_helpers import counting, live

from facula_errors.testing import raises
from facula_storage import (
    bfloat16,
    contiguous,
    dlpack_device,
    dtype_named,
    float32,
    from_buffer,
    from_dlpack,
    from_numpy,
    layout_of,
    meta,
    to_dlpack,
    to_numpy,
    uint8,
)
from facula_storage.extend import allocate, replace_buffer

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


class Shared:
    """The attributes by which a tensor is shared; `versioned=False` is a producer from before DLPack 1.0."""

    def __init__(self, storage, layout, versioned=True):
        self.storage, self.layout, self.versioned = storage, layout, versioned

    def __dlpack_device__(self):
        return dlpack_device(self.layout)

    def __dlpack__(self, **keywords):
        if keywords and not self.versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        return to_dlpack(self.storage, self.layout, max_version=keywords.get("max_version"))


# Between libraries ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_numpy_takes_ours(name, versioned):
    source = np.arange(12).reshape(3, 4).astype(name)
    storage, layout = from_numpy(source[:, ::2])
    got = np.from_dlpack(Shared(storage, layout, versioned))
    assert (got.dtype, got.shape, got.strides) == (source.dtype, (3, 2), source[:, ::2].strides)
    assert got.ctypes.data == source.ctypes.data
    assert np.array_equal(got, source[:, ::2])


@pytest.mark.parametrize("name", NAMES)
def test_ours_takes_numpys(name):
    source = np.arange(12).reshape(3, 4).astype(name).T
    storage, layout = from_dlpack(source)
    assert (layout.dtype.name, layout.shape) == (name, source.shape)
    assert (storage.ptr, storage.version) == (source.ctypes.data, 0)
    assert np.array_equal(to_numpy(storage, layout), source)


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1, 1), (3, 2)])
def test_ours_takes_ours(shape, versioned):
    storage, layout = counting(contiguous(shape, float32))
    got, same = from_dlpack(Shared(storage, layout, versioned))
    assert same is layout
    assert got.ptr == storage.ptr
    assert storage.exports == [None]
    del got
    assert storage.exports == []


def test_offset():
    storage, _ = counting(contiguous((6,), float32))
    got, layout = from_dlpack(to_dlpack(storage, layout_of((2,), (2,), float32), 4))
    assert to_numpy(got, layout).tolist() == [1, 3]


@pytest.mark.parametrize("versioned", [False, True])
def test_bfloat16_travels(versioned):
    storage, layout = allocate(contiguous((4,), bfloat16)), contiguous((4,), bfloat16)
    got, same = from_dlpack(Shared(storage, layout, versioned))
    assert (same, got.ptr) == (layout, storage.ptr)


@pytest.mark.parametrize("count", [1, 1 << 22])
def test_nothing_is_allocated(count):
    storage, layout = counting(contiguous((count,), float32))
    before = live()
    chain = from_dlpack(Shared(storage, layout))
    chain = from_dlpack(Shared(*chain, versioned=False))
    array = np.from_dlpack(Shared(*chain))
    assert array.ctypes.data == storage.ptr
    assert live() == before


def test_torch_takes_ours_and_gives_its_own():
    torch = pytest.importorskip("torch")
    for name in [*NAMES, "bfloat16"]:
        layout = contiguous((2, 3), dtype_named(name))
        storage = allocate(layout)
        theirs = torch.from_dlpack(Shared(storage, layout))
        assert str(theirs.dtype) == f"torch.{name}"
        assert theirs.data_ptr() == storage.ptr
        with pytest.raises(RuntimeError, match="in use by 1 export"):
            replace_buffer(storage, 0, int, 0)
        del theirs
        assert storage.exports == []
        source = torch.zeros(3, 4, dtype=getattr(torch, name)).T[1:]
        back, layout = from_dlpack(source)
        assert (back.ptr, layout.dtype.name, layout.shape, layout.strides) == (source.data_ptr(), name, (3, 3), (1, 4))


def test_read_only_needs_a_consumer_that_understands():
    storage, layout = from_buffer(b"abcd", uint8)
    with raises(BufferError, "__dlpack__", "read-only"):
        to_dlpack(storage, layout)
    with raises(BufferError, "__dlpack__", "read-only"):
        to_dlpack(storage, layout, max_version=(0, 8))
    assert not getattr(storage, "exports", None)
    got, _ = from_dlpack(to_dlpack(storage, layout, max_version=(1, 0)))
    assert got.version is None
    assert "PyCapsule" in got.readonly
    got, _ = from_dlpack(Shared(storage, layout))
    assert "Shared" in got.readonly


def test_unsupported_exports():
    layout = contiguous((2,), float32, meta)
    with raises(TypeError, "__dlpack_device__", "'meta'"):
        to_dlpack(allocate(layout), layout)
    assert dlpack_device(contiguous((2,), float32)) == (1, 0)


def test_capsules_are_named_as_the_standard_says():
    storage, layout = counting()
    assert '"dltensor"' in repr(to_dlpack(storage, layout))
    assert '"dltensor_versioned"' in repr(to_dlpack(storage, layout, max_version=(1, 3)))
    capsule = to_dlpack(storage, layout)
    kept = from_dlpack(capsule)
    assert '"used_dltensor"' in repr(capsule)
    del kept
    capsule = to_dlpack(storage, layout, max_version=(1, 0))
    kept = from_dlpack(capsule)
    assert '"used_dltensor_versioned"' in repr(capsule)
    del kept


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_a_capsule_is_consumed_once(max_version):
    storage, layout = counting()
    capsule = to_dlpack(storage, layout, max_version=max_version)
    kept = from_dlpack(capsule)
    with raises(BufferError, "from_dlpack", "consumed before", "ask its producer for another"):
        from_dlpack(capsule)
    assert storage.exports == [None]
    del kept, capsule
    assert storage.exports == []


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_capsules_do_not_leak(no_collector, max_version):
    """Capsules consumed, never consumed, and consumed but dropped before the consumer all end the export."""
    storage, layout = counting()
    before = live()
    watch = weakref.ref(storage)
    for _ in range(3):
        to_dlpack(storage, layout, max_version=max_version)
        assert storage.exports == []
        capsule = to_dlpack(storage, layout, max_version=max_version)
        assert storage.exports == [None]
        got = from_dlpack(capsule)
        del capsule
        assert storage.exports == [None]
        del got
        assert storage.exports == []
    got = from_dlpack(to_dlpack(storage, layout, max_version=max_version))
    del storage
    assert watch() is not None  # the consumer keeps it alive
    assert to_numpy(*got).tolist() == [[0, 1, 2], [3, 4, 5]]
    del got
    assert watch() is None
    assert live() == (before[0] - 24, before[1] - 1)


def test_the_producers_memory_lives_as_long_as_ours(no_collector):
    array = np.arange(4.0)
    watch = weakref.ref(array)
    storage, layout = from_dlpack(array)
    view = to_numpy(storage, layout)
    del array, storage
    assert watch() is not None
    del view
    assert watch() is None


@pytest.mark.parametrize("source", [[1, 2], None, 3, "dltensor", b"dltensor"])
def test_not_a_producer(source):
    with raises(TypeError, "from_dlpack", "expected an object with __dlpack__, or a DLPack capsule"):
        from_dlpack(source)


def test_errors_of_a_producer_propagate():
    class Broken:
        def __dlpack__(self, **keywords):
            raise BufferError("cannot export")

    with pytest.raises(BufferError, match="cannot export"):
        from_dlpack(Broken())
