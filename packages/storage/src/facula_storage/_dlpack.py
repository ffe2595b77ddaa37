"""Zero-copy exchange through DLPack. No function here copies elements."""

from __future__ import annotations

from typing import Any

from facula_errors import BufferAccessError, FaculaError
from facula_errors.extend import boundary, kind_of, trim_traceback

from ._bridge import Export, dlpack_consume, dlpack_export, dlpack_read
from ._devices import Device, _devices, cpu
from ._dtypes import DType, dtype_named
from ._interop import READ_ONLY, check_inside, need_host
from ._layouts import MAX_BYTES, Layout, contiguous_strides, layout_of
from ._storages import Storage, borrow, pin

# DLPack's numbers: device kDLCPU, type codes.
_DL_CPU, DL_CUDA, DL_CUDA_HOST = 1, 2, 3
_HOST_KINDS = (_DL_CPU, DL_CUDA_HOST)
_DEFAULT_STREAM = 1  # the number of CUDA's default stream
_DL_CODES = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "complex": 5, "bool": 6}


def dlpack_device(layout: Layout) -> tuple[int, int]:
    """Return the (type, index) pair of ``__dlpack_device__``.

    Raises TypeError if the backend of the layout's device does not define it.

    >>> dlpack_device(contiguous((2,), dtype_named("float32")))
    (1, 0)
    """
    try:
        numbers = getattr(layout.device.backend, "dlpack_device", None)
        if numbers is not None:
            return numbers
        need_host(layout, "__dlpack_device__")
        return (_DL_CPU, 0)
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def prepare_stream(operation: str, device: Device, stream: object) -> None:
    """Make a consumer's stream wait for the work that `device` has now, before it reads the memory.

    Arguments:
        operation: the name in errors.
        device: the device of the memory; host memory needs no stream.
        stream: the number of the stream, None for the device's default stream, or -1 for none.

    Raises:
        BufferError: the number is not that of a stream.
    """
    if device is cpu or stream == -1:
        return
    if not (stream is None or (type(stream) is int and stream > 0)):
        raise BufferAccessError(
            f"{operation}: expected stream to be the number of a stream, None for the default one, or -1; got "
            f"{stream!r:.60}"
        )
    backend: Any = device.backend
    if hasattr(backend, "order_streams"):
        backend.order_streams(backend.stream_number(), _DEFAULT_STREAM if stream is None else stream)
    else:
        backend.synchronize()


@boundary
def to_dlpack(storage: Storage, layout: Layout, offset: int = 0, max_version: tuple[int, int] | None = None) -> object:
    """Return a DLPack capsule over the storage's memory.

    The storage cannot replace its buffer until the consumer releases the capsule's memory.

    Arguments:
        storage: the memory.
        layout: dtype, shape and strides of the exported memory.
        offset: bytes from the buffer's start.
        max_version: the consumer's version. From (1, 0) on the capsule is versioned; only versioned capsules can be
            read-only.

    Raises:
        BufferError: the memory is read-only and the consumer is older, or DLPack has no number for the dtype.
        TypeError: the backend of the layout's device defines no DLPack device.
        ValueError: elements would be outside the memory.

    >>> import numpy as np
    >>> storage, layout = from_numpy(np.arange(3))
    >>> again, same = from_dlpack(to_dlpack(storage, layout))
    >>> again.ptr == storage.ptr, same is layout
    (True, True)
    """
    device_type, device_id = dlpack_device(layout)
    versioned = max_version is not None and max_version[0] >= 1
    readonly = storage.version is None
    if readonly and not versioned:
        raise BufferAccessError(
            "__dlpack__: the memory is read-only, which the consumer's DLPack version cannot express; pass a clone"
        )
    code = _DL_CODES.get(layout.dtype.name.rstrip("0123456789"))
    if code is None:
        raise BufferAccessError(f"__dlpack__: DLPack has no type for {layout.dtype.name}; convert with .float() first")
    bits = layout.dtype.itemsize * 8
    check_inside(storage, layout, offset, "__dlpack__")
    address, released = pin(storage)
    # The export is counted during the lifetime of its holder, which the capsule's consumer owns.
    holder = Export(storage, released, address, "B", 1, (0,), (1,), readonly)
    return dlpack_export(holder, address + offset, device_type, device_id, code, bits, layout.shape, layout.strides,
                         versioned, readonly)  # fmt: skip


@boundary
def from_dlpack(source: object) -> tuple[Storage, Layout]:
    """Return storage and layout over another library's array, through DLPack, without a copy.

    `source` has ``__dlpack__`` or is a capsule. BufferError is raised for a consumed capsule, unknown dtypes and
    devices, unaligned or missing memory, and negative strides; OverflowError for sizes beyond 64 bits. A rejected
    capsule is not consumed. A capsule does not contain the size of its memory, so strides that lead outside it cannot
    be detected: the producer is trusted.
    """
    capsule = source
    if hasattr(source, "__dlpack__"):
        try:
            capsule = source.__dlpack__(max_version=(1, 0), **_stream_of(source))
        except TypeError:  # a producer from before DLPack 1.0
            capsule = source.__dlpack__(**_stream_of(source))
    try:
        array = dlpack_read(capsule)
    except (BufferError, TypeError) as error:
        raise kind_of(error)(*error.args) from None
    dtype = _dlpack_dtype(array.type_code, array.bits, array.lanes)
    device = device_numbered(array.device_type, array.device_index)
    shape, strides = array.shape, array.strides
    if strides is None:
        strides = contiguous_strides(shape)
    if any(size < 0 for size in shape) or any(step < 0 for step in strides):
        raise BufferAccessError(
            f"from_dlpack: shape {shape} with strides {strides}: negative numbers cannot be used; copy first"
        )
    if 0 in shape:
        strides = contiguous_strides(shape)
    layout = layout_of(shape, strides, dtype, device)
    address = array.address + array.byte_offset
    if address % min(dtype.itemsize, 8):
        raise BufferAccessError(f"from_dlpack: the elements are not aligned to {dtype.itemsize} bytes; copy first")
    if not address and layout.numel:
        raise BufferAccessError(f"from_dlpack: an array of shape {shape} without memory; expected an address")
    if address + layout.extent > MAX_BYTES:
        raise BufferAccessError(
            f"from_dlpack: expected valid memory; got {layout.extent} bytes from address {address:#x} on"
        )
    why = READ_ONLY.format(f"{type(source).__module__}.{type(source).__qualname__}") if array.readonly else ""
    return borrow(address if layout.numel else 0, layout.extent, dlpack_consume(capsule), why), layout


def _stream_of(producer: Any) -> dict[str, int]:
    """Return the arguments that make a producer order its work before that of the current stream."""
    place = producer.__dlpack_device__() if hasattr(producer, "__dlpack_device__") else (_DL_CPU, 0)
    if place[0] in _HOST_KINDS:
        return {}
    number = getattr(device_numbered(*place).backend, "stream_number", None)
    return {} if number is None else {"stream": number()}


def _dlpack_dtype(code: int, bits: int, lanes: int) -> DType:
    if lanes != 1:
        raise BufferAccessError(f"from_dlpack: elements of {lanes} lanes cannot be used; expected 1")
    for kind, number in _DL_CODES.items():
        if number == code:
            try:
                dtype = dtype_named("bool" if kind == "bool" else f"{kind}{bits}")
            except TypeError as error:
                raise BufferAccessError(f"from_dlpack: {error}") from None
            if dtype.itemsize * 8 == bits:  # a bool may have one bit
                return dtype
    raise BufferAccessError(f"from_dlpack: type code {code} with {bits} bits is not known; convert the array first")


def device_numbered(kind: int, index: int, is_current: bool = False) -> Device:
    """Return the device with these numbers; the current one of this kind if `is_current`."""
    if kind in _HOST_KINDS:
        return cpu
    for device in list(_devices.values()):  # of backends in use
        numbers = getattr(device._backend, "dlpack_device", None)
        if numbers is not None and numbers[0] == kind and (is_current or numbers[1] == index):
            return Device(device.type).resolved if is_current else device.resolved
    if is_current:
        return Device("cuda").resolved
    names = {DL_CUDA: "cuda", 10: "rocm", 13: "cuda"}  # ROCm, managed
    if kind not in names:
        raise BufferAccessError(f"from_dlpack: device type {kind} is not known; copy the array to the CPU first")
    if index < 0:
        raise BufferAccessError(f"from_dlpack: device index is {index}; expected 0 or more")
    return Device(names[kind], index)
