"""Tensors as (storage, layout, offset), made from NumPy arrays, and files written byte by byte."""

from __future__ import annotations

import json

import numpy as np

import facula_storage as st
from facula_checkpoint import load, save

ALL = (st.bool_, st.uint8, st.int8, st.int16, st.int32, st.int64, st.float16, st.bfloat16, st.float32, st.float64,
       st.complex64, st.complex128, st.uint16, st.uint32, st.uint64, st.float8_e4m3fn, st.float8_e5m2,
       st.float8_e8m0fnu, st.float8_e4m3fnuz, st.float8_e5m2fnuz)  # fmt: skip
NAMES = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "float16": "F16",
         "bfloat16": "BF16", "float32": "F32", "float64": "F64", "complex64": "C64", "uint16": "U16", "uint32": "U32",
         "uint64": "U64", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2", "float8_e8m0fnu": "F8_E8M0",
         "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ"}  # fmt: skip


def parts(array):
    """A tensor over the memory of `array`."""
    storage, layout = st.from_numpy(np.asarray(array))
    return storage, layout, 0


def random_parts(dtype, shape=(3, 5), seed=0):
    """A tensor of any dtype with random bits (0 and 1 for bool)."""
    layout = st.contiguous(shape, dtype)
    bits = np.random.default_rng(seed).integers(0, 2 if dtype is st.bool_ else 256, layout.nbytes, np.uint8)
    return st.from_buffer(bits, st.uint8)[0], layout, 0


def raw(tensor):
    """Return the tensor's bytes in row-major order, using only NumPy."""
    storage, layout, offset = tensor
    if layout.dtype.numpy is None:
        layout = layout.to_dtype(st.int16 if layout.dtype.itemsize == 2 else st.uint8)
    return st.to_numpy(storage, layout, offset).tobytes()


def described(tensor):
    """Return the properties that two equal tensors share."""
    return tensor[1].dtype, tensor[1].shape, raw(tensor)


def file_bytes(header, data=b""):
    """A file with any header: an object that is encoded as JSON, or the text itself."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


class Tensor:
    """A minimal tensor class."""

    def __init__(self, parts):
        self.parts = parts

    def __eq__(self, other):
        return isinstance(other, Tensor) and np.array_equal(st.to_numpy(*self.parts), st.to_numpy(*other.parts))

    __hash__ = None


def tensor(values):
    return Tensor(parts(values))


def to_parts(value):
    return value.parts if isinstance(value, Tensor) else None


def kept(value, path, **how):
    save(value, path, to_parts=to_parts)
    return load(path, from_parts=Tensor, **how)
