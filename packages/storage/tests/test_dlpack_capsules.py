"""Handmade DLPack capsules: the values that are read, and the capsules that are rejected."""

import ast
import ctypes
import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from storage_helpers import Owner, counting

from facula_errors.testing import raises
from facula_storage import (
    contiguous,
    cpu,
    float32,
    from_dlpack,
    from_numpy,
    to_dlpack,
)
from facula_storage.extend import allocate


class DLTensor(ctypes.Structure):
    """From the specification's C header."""

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
        ({"shape": None}, "expected a shape; got none for 1 dimensions"),
        ({"data": None}, "without memory"),
        ({"byte_offset": 2}, "not aligned"),
        ({"byte_offset": 2**64 - 8}, "expected valid memory"),
        ({"code": 2, "bits": 31}, "float31"),
        ({"code": 1, "bits": 24}, "uint24"),
        ({"code": 3, "bits": 64}, "type code 3"),
        ({"code": 200, "bits": 8}, "type code 200"),
        ({"code": 6, "bits": 1}, "type code 6 with 1 bits"),
        ({"code": 17, "bits": 4}, "type code 17"),
        ({"device_type": 77}, "device type 77"),
        ({"device_type": 2, "device_id": -1}, "device index is -1"),
    ],
)
def test_hostile_capsules(fields, why, versioned, no_collector):
    """Rejected with a reason, but not consumed, so that the producer's own destructor still owns it."""
    made = Crafted(versioned, **fields)
    with raises(BufferError, "from_dlpack", why):
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
    with raises(OverflowError, "layout"):
        from_dlpack(made.capsule)
    assert made.deleted == 0


def test_an_unknown_major_version_is_not_parsed():
    made = Crafted(True, major=2, ndim=77)
    with raises(BufferError, "from_dlpack", "DLPack version 2 is not known"):
        from_dlpack(made.capsule)
    assert made.deleted == 0


def test_a_device_without_backend_is_an_error():
    made = Crafted(device_type=10)
    with raises(RuntimeError, "device 'rocm:0'", "no backend for 'rocm' is installed", "published none for 'rocm' yet"):
        from_dlpack(made.capsule)
    assert made.deleted == 0


def test_pinned_host_memory_is_on_the_cpu():
    assert from_dlpack(Crafted(device_type=3).capsule)[1].device is cpu


def test_capsules_of_other_kinds():
    with raises(BufferError, "from_dlpack", "expected a DLPack capsule", value="another one"):
        from_dlpack(new_capsule(64, b"something", None))
    with raises(BufferError, "from_dlpack", "expected a DLPack capsule", value="another one"):
        from_dlpack(new_capsule(64, None, None))
    with raises(BufferError, "from_dlpack", "consumed before"):
        from_dlpack(new_capsule(64, b"used_dltensor", None))


def test_a_refusal_keeps_nothing_alive(no_collector):
    """This includes references from the exception's traceback."""
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


def test_the_stub_knows_the_fields_of_the_c_type():
    """`_bridge.pyi` lists the fields of C's DLPackArray by name, in C's order."""
    from facula_storage import _bridge

    stub = ast.parse(Path(_bridge.__file__).with_name("_bridge.pyi").read_text())
    (declared,) = (node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "DLPackArray")
    fields = [line.target.id for line in declared.body if isinstance(line, ast.AnnAssign)]
    read = _bridge.dlpack_read(to_dlpack(*counting(contiguous((2, 3), float32))))
    assert fields == list(_bridge.DLPackArray.__match_args__)
    assert (read.bits, read.lanes, read.shape, read.strides, read.byte_offset) == (32, 1, (2, 3), (3, 1), 0)
