"""Zero-copy exchange with NumPy, the buffer protocol and DLPack. Nothing here copies an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._bridge import Export, dlpack_export, dlpack_import
from ._devices import Device, cpu
from ._dtypes import DType, bfloat16, bool_, dtype_named, dtype_of_numpy
from ._layouts import Layout, contiguous, contiguous_strides, layout_of
from ._storages import Storage, borrow, host_view, plain_address

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMATS = {"bool": "?", "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "float16": "e",
            "float32": "f", "float64": "d", "complex64": "Zf", "complex128": "Zd"}  # fmt: skip
# DLPack's numbers: device kDLCPU, type codes.
_DL_CPU = 1
_DL_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}
_READ_ONLY = "its memory is read-only (it comes from {}); work on a clone"


def _need_host(layout: Layout, operation: str) -> None:
    if layout.device is not cpu:
        raise TypeError(f"{operation}: the memory is on device '{layout.device}'; copy it with .cpu() first")


def _count_export(storage: Storage) -> Callable[[], object]:
    """Note one more live export; the result ends it."""
    try:
        exports = storage.exports
    except AttributeError:
        exports = storage.exports = []
    exports.append(None)
    return exports.pop


def to_numpy(storage: Storage, layout: Layout, offset: int = 0) -> np.ndarray:
    """A NumPy array over the storage's memory; writing to one shows in the other.

    `offset` is in bytes. The array keeps the memory alive, and while it lives the storage keeps
    this buffer. TypeError for memory that is not on the CPU and for bfloat16, which NumPy lacks.
    """
    _need_host(layout, "numpy")
    if layout.dtype.numpy is None:
        raise TypeError(f"numpy: NumPy has no {layout.dtype.name}; convert with .float() first")
    address = plain_address(storage)
    return host_view(address + offset, layout, storage, _count_export(storage), storage.version is None)


def from_numpy(array: np.ndarray) -> tuple[Storage, Layout]:
    """Storage and layout over the memory of a NumPy array, which stays alive with it.

    A read-only array gives read-only memory. Refused by name, as no kernel could read them in
    place: other byte orders, structured types, unaligned elements, negative strides, and strides
    that are no multiple of the element size (TypeError or ValueError; a copy mends all of them).
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy: expected a numpy.ndarray; got {type(array).__name__}")
    dtype = dtype_of_numpy(array.dtype)
    itemsize = dtype.itemsize
    if any(step < 0 for step in array.strides):
        raise ValueError(f"from_numpy: the array has a negative stride {array.strides}; use array.copy()")
    if not array.flags.aligned or any(step % itemsize for step in array.strides):
        raise ValueError(
            f"from_numpy: the elements are not aligned to {itemsize} bytes (strides {array.strides}); use array.copy()"
        )
    strides = tuple([step // itemsize for step in array.strides]) if array.size else contiguous_strides(array.shape)
    layout = layout_of(array.shape, strides, dtype)
    readonly = "" if array.flags.writeable else _READ_ONLY.format("a read-only NumPy array")
    return borrow(array.__array_interface__["data"][0] if array.size else 0, layout.extent, array, readonly), layout


def to_buffer(storage: Storage, layout: Layout, offset: int = 0) -> Export:
    """An object with the buffer protocol over the storage's memory; `memoryview(...)` takes it."""
    _need_host(layout, "buffer")
    if layout.dtype is bfloat16:
        raise TypeError("buffer: the buffer protocol has no format for bfloat16; convert with .float() first")
    itemsize = layout.dtype.itemsize
    address = plain_address(storage) + offset
    strides = tuple([step * itemsize for step in layout.strides])
    return Export(storage, _count_export(storage), address, _FORMATS[layout.dtype.name], itemsize, layout.shape,
                  strides, storage.version is None)  # fmt: skip


def from_buffer(buffer: Any, dtype: DType, count: int = -1, offset: int = 0) -> tuple[Storage, Layout]:
    """Storage and one-dimensional layout over any object with the buffer protocol.

    `count` elements (-1: all there are) from `offset` bytes on. ValueError, naming the numbers,
    where they do not fit.
    """
    view = memoryview(buffer)
    if not view.contiguous:
        raise ValueError("frombuffer: the buffer is not contiguous; copy it with bytes(...) first")
    raw = np.frombuffer(view, np.uint8)
    if not 0 <= offset <= raw.size:
        raise ValueError(f"frombuffer: offset is {offset}; expected 0 to {raw.size}, the bytes of the buffer")
    room = (raw.size - offset) // dtype.itemsize
    if count < 0:
        if (raw.size - offset) % dtype.itemsize:
            raise ValueError(
                f"frombuffer: {raw.size - offset} bytes are no whole number of {dtype.name} ({dtype.itemsize} bytes each)"
            )
        count = room
    if count > room:
        raise ValueError(f"frombuffer: count is {count}, but from offset {offset} there is room for {room} {dtype.name}")
    address = raw.__array_interface__["data"][0] + offset
    if address % min(dtype.itemsize, 8):
        raise ValueError(f"frombuffer: offset {offset} leaves {dtype.name} elements unaligned; copy the bytes first")
    readonly = _READ_ONLY.format(f"a read-only {type(buffer).__name__}") if view.readonly else ""
    layout = contiguous((count,), dtype)
    return borrow(address if count else 0, layout.nbytes, raw, readonly), layout


def dlpack_device(layout: Layout) -> tuple[int, int]:
    """The (type, index) pair of ``__dlpack_device__``."""
    numbers = getattr(layout.device.backend, "dlpack_device", None)
    if numbers is not None:
        return numbers
    _need_host(layout, "__dlpack_device__")
    return (_DL_CPU, 0)


def to_dlpack(
    storage: Storage, layout: Layout, offset: int = 0, max_version: tuple[int, int] | None = None
) -> object:
    """A DLPack capsule over the storage's memory.

    Versioned (1.0) when the consumer's `max_version` allows, which is the only form that can say
    read-only: BufferError for read-only memory and an older consumer.
    """
    device_type, device_id = dlpack_device(layout)
    versioned = max_version is not None and max_version[0] >= 1
    readonly = storage.version is None
    if readonly and not versioned:
        raise BufferError("__dlpack__: the memory is read-only, and the consumer's DLPack version cannot express that")
    kind = layout.dtype.name.rstrip("0123456789")
    bits = layout.dtype.itemsize * 8
    address = plain_address(storage) + offset
    # The export counts as long as its holder lives, which the capsule's consumer owns.
    holder = Export(storage, _count_export(storage), address, "B", 1, (0,), (1,), readonly)
    return dlpack_export(holder, address, device_type, device_id, _DL_CODES[kind], bits, layout.shape, layout.strides,
                         versioned, readonly)  # fmt: skip


def from_dlpack(source: Any) -> tuple[Storage, Layout]:
    """Storage and layout over another library's array, through DLPack, without a copy.

    `source` has ``__dlpack__`` and ``__dlpack_device__``, or is a capsule. BufferError for a capsule
    that was consumed before, for dtypes and devices that are not known, and for negative strides.
    """
    capsule = source
    if hasattr(source, "__dlpack__"):
        try:
            capsule = source.__dlpack__(max_version=(1, 0))
        except TypeError:  # a producer from before DLPack 1.0
            capsule = source.__dlpack__()
    address, kind, index, code, bits, lanes, shape, strides, byte_offset, readonly, guard = dlpack_import(capsule)
    dtype = _dlpack_dtype(code, bits, lanes)
    device = _dlpack_device(kind, index)
    if strides is None:
        strides = contiguous_strides(shape)
    if any(size < 0 for size in shape) or any(step < 0 for step in strides):
        raise BufferError(f"from_dlpack: shape {shape} with strides {strides}: negative numbers cannot be used; copy first")
    if 0 in shape:
        strides = contiguous_strides(shape)
    layout = layout_of(shape, strides, dtype, device)
    address += byte_offset
    if address % min(dtype.itemsize, 8):
        raise BufferError(f"from_dlpack: the elements are not aligned to {dtype.itemsize} bytes; copy first")
    if not address and layout.numel:
        raise BufferError(f"from_dlpack: an array of shape {shape} without memory")
    why = _READ_ONLY.format(f"{type(source).__module__}.{type(source).__qualname__}") if readonly else ""
    return borrow(address if layout.numel else 0, layout.extent, guard, why), layout


def _dlpack_dtype(code: int, bits: int, lanes: int) -> DType:
    if lanes != 1:
        raise BufferError(f"from_dlpack: elements of {lanes} lanes cannot be used; ask for scalars")
    for kind, number in _DL_CODES.items():
        if number == code:
            if kind == "bool":
                return bool_
            try:
                return dtype_named(f"{kind}{bits}")
            except TypeError as error:
                raise BufferError(f"from_dlpack: {error}") from None
    raise BufferError(f"from_dlpack: type code {code} with {bits} bits is not known")


def _dlpack_device(kind: int, index: int) -> Device:
    if kind == _DL_CPU:
        return cpu
    names = {2: "cuda", 3: "cpu", 10: "rocm", 13: "cuda"}  # device, pinned host, ROCm, managed
    if kind not in names:
        raise BufferError(f"from_dlpack: device type {kind} is not known; copy the array to the CPU first")
    return Device(names[kind]) if kind == 3 else Device(names[kind], index)
