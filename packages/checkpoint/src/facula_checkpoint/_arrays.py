"""Conversion of NumPy arrays and scalars to and from the contents of a file.

An array is stored as a tensor of the file, and the structure records that it was an array. Older files store uint16,
uint32 and uint64 as the signed types of their size, and the structure names the unsigned type.
"""

from __future__ import annotations

import numpy as np

from facula_errors import InvalidTypeError
from facula_storage import from_numpy, to_numpy

from ._parts import Parts

STORED_AS = {"uint16": "int16", "uint32": "int32", "uint64": "int64"}
_TENSORS = frozenset(
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
)
_REMEDIES = {
    "O": "convert it with .tolist(), or to numbers with .astype()",
    "V": "save its fields one by one",
    "U": "convert it with .tolist()",
    "S": "save array.view('uint8')",
    "M": "save array.view('int64')",
    "m": "save array.view('int64')",
}


def is_array(value: object) -> bool:
    """Return whether `value` is exactly a NumPy array; a file would lose the meaning of subclasses."""
    return type(value) is np.ndarray or type(value) is np.memmap


def array_parts(array: np.ndarray, operation: str, where: str) -> Parts:
    """Convert the array to a tensor; raise TypeError for dtypes that tensors lack.

    The memory is shared if possible: arrays of other byte orders, with negative strides or with unaligned elements are
    copied.
    """
    dtype = array.dtype.newbyteorder("=")
    if dtype.name not in _TENSORS:
        remedy = _REMEDIES.get(dtype.kind, "convert it with .astype('float64')")
        raise InvalidTypeError(
            f"{operation}: {where} is a NumPy array of dtype {str(array.dtype)!r:.100}; expected bool, integers, "
            f"float16 to float64 or complex numbers; {remedy}"
        )
    plain = array.astype(dtype, copy=False)
    itemsize = plain.itemsize
    if not plain.flags.aligned or any(step < 0 or step % itemsize for step in plain.strides):
        plain = plain.copy(order="C")
    return (*from_numpy(np.asarray(plain)), 0)


def to_array(parts: Parts, dtype: str = "") -> np.ndarray:
    """Return the NumPy array over a loaded tensor's memory."""
    array = to_numpy(*parts)
    return array.view(dtype) if dtype else array


def plain_scalar(value: object) -> object:
    """Convert a NumPy scalar to a Python bool, int, float, complex or str; return other values unchanged."""
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        return int(value)
    if isinstance(value, (np.float16, np.float32, np.float64)):
        return float(value)
    if isinstance(value, (np.complex64, np.complex128)):
        return complex(value)
    return str(value) if isinstance(value, np.str_) else value
