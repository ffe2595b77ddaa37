"""Recognition of array-like values and their conversion to NumPy: buffers, `__array__`, DLPack."""

from __future__ import annotations

import numpy as np

from ._memory import is_shared, new
from ._types import Sample

DLPACK_CPU = 1  # kDLCPU of the DLPack standard
NUMBERS = "biufcmM"  # kinds of dtype whose elements are numbers or times; not text, objects or records


def is_array(value: Sample) -> bool:
    """Return whether NumPy can read the elements of `value`. Text is not an array, although it has a buffer."""
    if isinstance(value, (str, bytes)):
        return False
    if isinstance(value, (np.ndarray, np.generic)):
        return True
    cls = type(value)
    if hasattr(cls, "__array__") or hasattr(cls, "__array_interface__") or hasattr(cls, "__dlpack__"):
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def as_numpy(value: Sample) -> np.ndarray:
    """Return `value` as an ndarray, without a copy if its memory allows that."""
    cls = type(value)
    if hasattr(cls, "__dlpack__") and not (hasattr(cls, "__array__") or hasattr(cls, "__array_interface__")):
        return np.from_dlpack(value)
    return np.asarray(value)


def host_view(value: Sample) -> np.ndarray | None:
    """Return `value` as an ndarray over the same memory, or None if that requires a copy or changes the elements' type.

    Only values qualify whose samples collate to the same result one by one and all at once. Rows of a matrix keep two
    dimensions, text and objects do not become arrays, and stacking converts bytes and fields to native byte order.
    """
    cls = type(value)
    if cls is np.ndarray or cls is np.memmap:
        return np.asarray(value) if value.dtype.kind in NUMBERS and value.dtype.isnative else None
    if isinstance(value, np.ndarray) or not hasattr(cls, "__dlpack_device__"):
        return None
    if value.__dlpack_device__()[0] != DLPACK_CPU:
        return None
    try:
        return as_numpy(value)
    except (BufferError, TypeError, RuntimeError):
        return None  # NumPy lacks the dtype, or the tensor requires gradients: stacking the samples raises the error


def take_rows(array: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return `array[indices]` as a new C-contiguous array."""
    flags = array.flags
    if flags.c_contiguous and flags.aligned:
        if not is_shared():
            return array.take(indices, 0)
        length = len(array)
        if len(indices) and not -length <= indices.min() <= indices.max() < length:
            return array.take(indices, 0)  # raises
        rows = new((len(indices), *array.shape[1:]), array.dtype)
        return array.take(indices, 0, out=rows, mode="wrap")  # "raise" would copy through a buffer
    # `take` would first copy the whole array.
    return np.ascontiguousarray(array[indices])
