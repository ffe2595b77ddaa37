"""Zero-copy exchange with NumPy and through the buffer protocol. No function here copies elements."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary, moved, trim_traceback

from ._bridge import Export, array_sharer, describe_array
from ._devices import cpu
from ._dtypes import DType, dtype_of_numpy
from ._layout_caches import layout_cache_clearers
from ._layouts import MAX_BYTES, Layout, contiguous, contiguous_strides, layout_of
from ._storages import Storage, borrow, capacity, host_view, pin

if TYPE_CHECKING:
    from typing_extensions import Buffer

moved(__name__)  # names that pickles of earlier releases contain
_FORMATS = {"bool": "?", "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint16": "H",
            "uint32": "I", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d", "complex64": "Zf",
            "complex128": "Zd"}  # fmt: skip
# The layouts of validated arrays, by the keys of `describe_array`.
MAX_ARRAYS = 512
_layouts_of_arrays: dict[bytes, Layout] = {}
layout_cache_clearers.append(_layouts_of_arrays.clear)
READ_ONLY = "its memory is read-only (it comes from {}); work on a clone"


def need_host(layout: Layout, operation: str) -> None:
    if layout.device is not cpu:
        raise InvalidTypeError(f"{operation}: the memory is on device '{layout.device}'; copy it with .cpu() first")


def check_inside(storage: Storage, layout: Layout, offset: int, operation: str) -> None:
    """Raise ValueError if elements would be outside the storage's memory, or not aligned."""
    if not layout.numel:
        return
    room = capacity(storage)
    if not 0 <= offset <= room - layout.extent:
        raise InvalidValueError(
            f"{operation}: {layout} at offset {offset} takes bytes {offset} to {offset + layout.extent}; "
            f"the storage has {room}"
        )
    if offset % min(layout.dtype.itemsize, 8):
        raise InvalidValueError(f"{operation}: offset {offset} is not a multiple of {layout.dtype.name}'s itemsize")


def to_numpy(storage: Storage, layout: Layout, offset: int = 0) -> np.ndarray:
    """Return a NumPy array over the storage's memory; both see each other's changes.

    The array keeps the memory alive, and the storage cannot replace its buffer during the array's lifetime.

    Arguments:
        storage: the memory.
        layout: dtype, shape and strides of the array.
        offset: bytes from the buffer's start.

    Raises:
        TypeError: the memory is not on the CPU, or NumPy lacks its dtype (bfloat16, float8).
        ValueError: elements would be outside the memory, or the array is empty and the product of its other sizes
            exceeds NumPy's limit.

    >>> import numpy as np
    >>> storage, layout = from_numpy(np.arange(6.0).reshape(2, 3))
    >>> to_numpy(storage, layout)
    array([[0., 1., 2.],
           [3., 4., 5.]])
    """
    try:
        need_host(layout, "numpy")
        if layout.dtype.numpy is None:
            bits = f"uint{layout.dtype.itemsize * 8}"
            raise InvalidTypeError(
                f"numpy: NumPy has no {layout.dtype.name}; convert with .float() first, or take the bits as "
                f".view(facula.{bits})"
            )
        check_inside(storage, layout, offset, "numpy")
        if not layout.numel and prod(filter(None, layout.shape)) * layout.dtype.itemsize > MAX_BYTES:
            raise InvalidValueError(
                f"numpy: shape {layout.shape} has no elements, but NumPy counts the bytes of its sizes other than 0, "
                "which "
                "are more than 63 bits hold; drop a dimension first"
            )
        address, released = pin(storage)
        return host_view(address + offset, layout, storage, released, storage.version is None)
    except FaculaError as error:
        trim_traceback(error)
        raise


def from_numpy(array: np.ndarray) -> tuple[Storage, Layout]:
    """Return storage and layout over the memory of a NumPy array, which is kept alive.

    A read-only array yields read-only memory. TypeError or ValueError is raised for arrays that kernels cannot read in
    place: other byte orders, structured types, unaligned elements, negative strides, and strides that are not multiples
    of the element size. Copying the array resolves all of these.

    >>> import numpy as np
    >>> storage, layout = from_numpy(np.arange(4, dtype=np.int16)[::2])
    >>> layout
    Layout((2,), facula.int16, strides=(2,))
    """
    try:
        described = describe_array(array) if type(array) is np.ndarray else None
        known = None if described is None else _layouts_of_arrays.get(described[1])
        if described is not None and known is not None:
            return borrow(described[0], known.extent, array), known
        if not isinstance(array, np.ndarray):
            raise InvalidTypeError(f"from_numpy: expected a numpy.ndarray; got {type(array).__name__}")
        dtype = dtype_of_numpy(array.dtype)
        itemsize = dtype.itemsize
        if any(step < 0 for step in array.strides):
            raise InvalidValueError(f"from_numpy: the array has a negative stride {array.strides}; use array.copy()")
        if not array.flags.aligned or any(step % itemsize for step in array.strides):
            raise InvalidValueError(
                f"from_numpy: the elements are not aligned to {itemsize} bytes (strides {array.strides}); use "
                "array.copy()"
            )
        strides = tuple([step // itemsize for step in array.strides]) if array.size else contiguous_strides(array.shape)
        layout = layout_of(array.shape, strides, dtype)
        readonly = "" if array.flags.writeable else READ_ONLY.format("a read-only NumPy array")
        if described is not None and array.size and array.dtype.kind != "V":  # shared by dtypes of other libraries
            if len(_layouts_of_arrays) >= MAX_ARRAYS:
                _layouts_of_arrays.clear()
            _layouts_of_arrays[described[1]] = layout
        return borrow(array.__array_interface__["data"][0] if array.size else 0, layout.extent, array, readonly), layout
    except FaculaError as error:
        trim_traceback(error)
        raise


def sharer_of_arrays(tensors: type, *slots: object) -> Callable[[object], Any]:
    """Return a fast `from_numpy` that makes tensors, or returns None for layouts that `from_numpy` has not met.

    Arguments:
        tensors: the class of the results.
        slots: the descriptors of its layout, storage, offset and autograd node.
    """
    places = (Layout, "extent"), *[(Storage, name) for name in ("ptr", "__del__", "version", "base", "nbytes")]
    extent, *of_storages = [getattr(cls, name) for cls, name in places]
    return array_sharer((np.ndarray, _layouts_of_arrays, extent, Storage, tensors, int, *of_storages, *slots))


def to_buffer(storage: Storage, layout: Layout, offset: int = 0) -> Export:
    """Return an object with the buffer protocol over the storage's memory, for `memoryview(...)`.

    The storage cannot replace its buffer while the object or a view of it exists.

    Arguments:
        storage: the memory.
        layout: dtype, shape and strides of the exported memory.
        offset: bytes from the buffer's start.

    Raises:
        TypeError: the memory is not on the CPU, or the buffer protocol has no format for its dtype.
        ValueError: elements would be outside the memory.

    >>> import numpy as np
    >>> storage, layout = from_numpy(np.arange(3, dtype=np.int32))
    >>> memoryview(to_buffer(storage, layout)).tolist()
    [0, 1, 2]
    """
    try:
        need_host(layout, "buffer")
        itemsize, letters = layout.dtype.itemsize, _FORMATS.get(layout.dtype.name)
        if letters is None:
            raise InvalidTypeError(
                f"buffer: the buffer protocol has no format for {layout.dtype.name}; convert with .float() first"
            )
        strides = tuple([step * itemsize for step in layout.strides])
        check_inside(storage, layout, offset, "buffer")
        address, released = pin(storage)
        readonly = storage.version is None
        return Export(storage, released, address + offset, letters, itemsize, layout.shape, strides, readonly)
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def from_buffer(buffer: Buffer, dtype: DType, count: int = -1, offset: int = 0) -> tuple[Storage, Layout]:
    """Return storage and one-dimensional layout over any object with the buffer protocol.

    Arguments:
        buffer: the object.
        dtype: the dtype of the elements.
        count: the number of elements; -1 means all.
        offset: bytes from the buffer's start.

    Raises:
        ValueError: `count` or `offset` is out of range, or the buffer is not contiguous.
        TypeError: the object has no buffer protocol.

    >>> storage, layout = from_buffer(b"abcdef", dtype_named("int16"), offset=2)
    >>> layout, storage.version
    (Layout((2,), facula.int16), None)
    """
    try:
        view = memoryview(buffer)
    except TypeError:
        raise InvalidTypeError(
            f"frombuffer: expected an object with the buffer protocol; got {type(buffer).__name__}"
        ) from None
    if not view.c_contiguous:
        raise InvalidValueError("frombuffer: the buffer is not C-contiguous; copy it with bytes(...) first")
    if not 0 <= offset <= view.nbytes:
        raise InvalidValueError(f"frombuffer: offset is {offset}; expected 0 to {view.nbytes}, the bytes of the buffer")
    left = view.nbytes - offset
    room = left // dtype.itemsize
    if count == -1:
        if left % dtype.itemsize:
            raise InvalidValueError(
                f"frombuffer: {left} bytes are not a whole number of {dtype.name} ({dtype.itemsize} bytes each); "
                "give count, or another offset"
            )
        count = room
    if not 0 <= count <= room:
        raise InvalidValueError(
            f"frombuffer: count is {count}; expected -1 to {room}, which is what fits from offset {offset} on"
        )
    raw = np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)
    address = raw.__array_interface__["data"][0] + offset
    if count and address % min(dtype.itemsize, 8):
        raise InvalidValueError(
            f"frombuffer: offset {offset} leaves {dtype.name} elements unaligned; copy the bytes first"
        )
    readonly = READ_ONLY.format(f"a read-only {type(buffer).__name__}") if view.readonly else ""
    layout = contiguous((count,), dtype)
    return borrow(address if count else 0, layout.nbytes, raw, readonly), layout
