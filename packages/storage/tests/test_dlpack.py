"""DLPack: exchange with NumPy, with torch where it is installed, and capsules that nobody should accept."""

import ctypes
import gc
import weakref

import numpy as np
import pytest
from storage_testing import Owner, counting, live

from facula_storage import (
    bfloat16,
    contiguous,
    cpu,
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
    """What a tensor offers other libraries; `versioned=False` is a producer from before DLPack 1.0."""

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
    with pytest.raises(BufferError, match="read-only"):
        to_dlpack(storage, layout)
    with pytest.raises(BufferError, match="read-only"):
        to_dlpack(storage, layout, max_version=(0, 8))
    assert not getattr(storage, "exports", None)
    got, _ = from_dlpack(to_dlpack(storage, layout, max_version=(1, 0)))
    assert got.version is None
    assert "PyCapsule" in got.readonly
    got, _ = from_dlpack(Shared(storage, layout))
    assert "Shared" in got.readonly


def test_what_cannot_leave():
    layout = contiguous((2,), float32, meta)
    with pytest.raises(TypeError, match=r"__dlpack_device__.*'meta'"):
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
    with pytest.raises(BufferError, match="consumed before; ask its producer for another"):
        from_dlpack(capsule)
    assert storage.exports == [None]
    del kept, capsule
    assert storage.exports == []


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_nothing_is_left_behind(no_collector, max_version):
    """Capsules consumed, never consumed, and consumed but let go before the consumer: all end the export."""
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
    assert watch() is not None  # the consumer keeps it
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
    with pytest.raises(TypeError, match="expected an object with __dlpack__, or a DLPack capsule; got"):
        from_dlpack(source)


def test_what_a_producer_raises_is_seen():
    class Broken:
        def __dlpack__(self, **keywords):
            raise BufferError("cannot export")

    with pytest.raises(BufferError, match="cannot export"):
        from_dlpack(Broken())


# Hand-made capsules ---------------------------------------------------------------------------------------------------
class DLTensor(ctypes.Structure):
    """Of the specification's C header."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", Deleter))


class ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    )


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)


class Crafted:
    """A capsule with these fields over 64 aligned bytes; `deleted` counts the calls of its deleter."""

    def __init__(self, versioned=False, shape=(2, 3), strides=None, major=1, flags=0, deleter=True, **fields):
        self.memory = allocate(contiguous((16,), float32))
        self.deleted = 0
        self.managed = ManagedVersioned() if versioned else Managed()
        tensor = self.managed.tensor
        tensor.data, tensor.device_type, tensor.ndim = self.memory.ptr, 1, len(shape) if shape is not None else 1
        tensor.code, tensor.bits, tensor.lanes = 2, 32, 1
        if shape is not None:
            self.shape = (ctypes.c_int64 * len(shape))(*shape)
            tensor.shape = self.shape
        if strides is not None:
            self.strides = (ctypes.c_int64 * len(strides))(*strides)
            tensor.strides = self.strides
        for name, value in fields.items():
            setattr(tensor, name, value)
        if deleter:
            self.managed.deleter = self.deleter = Deleter(self._count)
        self.name = b"dltensor"
        if versioned:
            self.name = b"dltensor_versioned"
            self.managed.major, self.managed.flags = major, flags
        self.capsule = new_capsule(ctypes.addressof(self.managed), self.name, None)

    def _count(self, managed):
        assert managed == ctypes.addressof(self.managed)
        self.deleted += 1


@pytest.mark.parametrize("versioned", [False, True])
def test_a_crafted_capsule_is_fine_by_itself(versioned):
    made = Crafted(versioned)
    storage, layout = from_dlpack(made.capsule)
    assert layout is contiguous((2, 3), float32)  # no strides: contiguous
    assert (storage.ptr, made.deleted) == (made.memory.ptr, 0)
    del storage
    assert made.deleted == 1


def test_byte_offset_strides_and_flags():
    made = Crafted(True, shape=(2, 2), strides=(1, 2), byte_offset=8, flags=1)
    storage, layout = from_dlpack(made.capsule)
    assert (storage.ptr, layout.strides, storage.version) == (made.memory.ptr + 8, (1, 2), None)


def test_no_deleter():
    made = Crafted(deleter=False)
    assert from_dlpack(made.capsule)[0].ptr == made.memory.ptr


def test_empty_arrays_may_have_no_address():
    storage, layout = from_dlpack(Crafted(shape=(0, 3), strides=(7, 7), data=None).capsule)
    assert (storage.ptr, layout.strides) == (0, (3, 1))


def test_a_scalar_may_have_no_shape():
    made = Crafted(shape=None)
    made.managed.tensor.ndim = 0
    assert from_dlpack(made.capsule)[1].shape == ()


@pytest.mark.parametrize("versioned", [False, True])
@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"lanes": 4}, "4 lanes"),
        ({"lanes": 0}, "0 lanes"),
        ({"ndim": 65, "shape": (1,) * 65}, "65 dimensions"),
        ({"ndim": -1}, "-1 dimensions"),
        ({"ndim": 2**31 - 1}, "dimensions; 0 to 64"),
        ({"shape": (-1, 3)}, "negative"),
        ({"shape": (2, -(2**63))}, "negative"),
        ({"shape": (2, 3), "strides": (-3, 1)}, "negative"),
        ({"shape": None}, "without a shape"),
        ({"data": None}, "without memory"),
        ({"byte_offset": 2}, "not aligned"),
        ({"byte_offset": 2**64 - 8}, "no memory is there"),
        ({"code": 2, "bits": 31}, "float31"),
        ({"code": 1, "bits": 16}, "uint16"),
        ({"code": 3, "bits": 64}, "type code 3"),
        ({"code": 200, "bits": 8}, "type code 200"),
        ({"code": 6, "bits": 1}, "type code 6 with 1 bits"),
        ({"code": 17, "bits": 4}, "type code 17"),
        ({"device_type": 77}, "device type 77"),
        ({"device_type": 2, "device_id": -1}, "device index is -1"),
    ],
)
def test_hostile_capsules(fields, why, versioned, no_collector):
    """Refused by name; not consumed, so that the producer's own destructor still has it."""
    made = Crafted(versioned, **fields)
    with pytest.raises(BufferError, match=why):
        from_dlpack(made.capsule)
    assert made.deleted == 0
    assert f'"{made.name.decode()}"' in repr(made.capsule)


@pytest.mark.parametrize(
    "fields",
    [
        {"shape": (2**40, 2**40)},
        {"shape": (2,), "strides": (2**62,)},
        {"shape": (0, 2**62, 2**62)},
        {"shape": (2**62,)},
    ],
)
def test_sizes_beyond_64_bits(fields):
    made = Crafted(**fields)
    with pytest.raises(OverflowError, match="layout: "):
        from_dlpack(made.capsule)
    assert made.deleted == 0


def test_an_unknown_major_version_is_not_looked_into():
    made = Crafted(True, major=2, ndim=77)
    with pytest.raises(BufferError, match="DLPack version 2 is not known"):
        from_dlpack(made.capsule)
    assert made.deleted == 0


def test_a_device_without_backend_says_so():
    made = Crafted(device_type=10)
    with pytest.raises(RuntimeError, match=r"no backend for 'rocm' is installed; .*published none for 'rocm' yet"):
        from_dlpack(made.capsule)
    assert made.deleted == 0


def test_pinned_host_memory_is_the_cpus():
    assert from_dlpack(Crafted(device_type=3).capsule)[1].device is cpu


def test_capsules_of_other_kinds():
    with pytest.raises(BufferError, match="not a DLPack one"):
        from_dlpack(new_capsule(64, b"something", None))
    with pytest.raises(BufferError, match="not a DLPack one"):
        from_dlpack(new_capsule(64, None, None))
    with pytest.raises(BufferError, match="consumed before"):
        from_dlpack(new_capsule(64, b"used_dltensor", None))


def test_a_refusal_keeps_nothing_alive(no_collector):
    """Not even through the exception's traceback."""
    owner = Owner()
    watch = weakref.ref(owner)

    class Producer:
        def __init__(self, kept):
            self.kept = kept

        def __dlpack__(self, **keywords):
            return to_dlpack(*from_numpy(np.zeros(2, np.int16)))

    made = Crafted(lanes=2)
    for source in (made.capsule, Producer(owner)):
        try:
            from_dlpack(source)
        except BufferError:
            pass
    del owner, source, made
    assert watch() is None
    assert not gc.isenabled()
