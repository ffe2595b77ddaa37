"""Exchange of CUDA arrays by `__cuda_array_interface__`, which Numba and CuPy have. No function copies elements.

Version 3 of the interface: https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html
"""

from __future__ import annotations

from typing import Any

import numpy as np

from facula_errors import BufferAccessError, InvalidTypeError, MissingAttributeError
from facula_errors.extend import boundary

from ._dlpack import DL_CUDA, device_numbered
from ._dtypes import dtype_of_numpy
from ._interop import READ_ONLY, check_inside
from ._layouts import Layout, contiguous_strides, layout_of
from ._storages import Storage, borrow


@boundary
def from_cuda_array(source: object) -> tuple[Storage, Layout]:
    """Return storage and layout over an array of another library, through `__cuda_array_interface__`.

    The work of the array's stream is done before later work of the current stream.

    Raises:
        BufferError: the array has a mask, negative strides, another byte order, or no memory.
        TypeError: the dtype is unknown.
        RuntimeError: there is no CUDA device.
    """
    told: dict[str, Any] = source.__cuda_array_interface__  # type: ignore[attr-defined]
    device = device_numbered(DL_CUDA, 0, True)
    if told.get("mask") is not None:
        raise BufferAccessError("__cuda_array_interface__: arrays with a mask cannot be used; fill the masked elements")
    kind = np.dtype(told["typestr"])
    if not kind.isnative:
        raise BufferAccessError(
            f"__cuda_array_interface__: elements {told['typestr']} have another byte order; convert the array first"
        )
    dtype, shape = dtype_of_numpy(kind), tuple(told["shape"])
    address, readonly = told["data"]
    given = told.get("strides")
    strides = contiguous_strides(shape)
    if given is not None and 0 not in shape:
        if any(step < 0 or step % dtype.itemsize for step in given):
            raise BufferAccessError(
                f"__cuda_array_interface__: strides {tuple(given)} are negative, or not multiples of the element size "
                f"{dtype.itemsize}; copy the array first"
            )
        strides = tuple([step // dtype.itemsize for step in given])
    layout = layout_of(shape, strides, dtype, device)
    if layout.numel and (not address or address % min(dtype.itemsize, 8)):
        raise BufferAccessError(
            f"__cuda_array_interface__: expected the address of aligned elements; got {address:#x} for {dtype.name}"
        )
    stream = told.get("stream")
    if stream is not None:
        backend: Any = device.backend
        if hasattr(backend, "order_streams"):
            backend.order_streams(stream, backend.stream_number())
    why = READ_ONLY.format(f"{type(source).__module__}.{type(source).__qualname__}") if readonly else ""
    return borrow(address if layout.numel else 0, layout.extent, source, why), layout


@boundary
def cuda_array(storage: Storage, layout: Layout, offset: int = 0) -> dict[str, Any]:
    """Return the dict of `__cuda_array_interface__` for memory on a CUDA device.

    Arguments:
        storage: the memory.
        layout: the dtype, shape and strides of the array.
        offset: where the array begins, in bytes from the beginning of the storage.

    Raises:
        AttributeError: the device is of another kind.
        TypeError: NumPy has no dtype like it.
    """
    backend: Any = layout.device.backend
    if getattr(backend, "dlpack_device", (0, 0))[0] != DL_CUDA:
        raise MissingAttributeError(
            f"__cuda_array_interface__: the memory is on device '{layout.device}'; expected a CUDA device"
        )
    if layout.dtype.numpy is None:
        raise InvalidTypeError(
            f"__cuda_array_interface__: there is no type string for {layout.dtype.name}; convert with .float() first"
        )
    check_inside(storage, layout, offset, "__cuda_array_interface__")
    itemsize = layout.dtype.itemsize
    strides = None if layout.is_contiguous else tuple([step * itemsize for step in layout.strides])
    told = {
        "shape": layout.shape,
        "typestr": layout.dtype.numpy.str,
        "data": (storage.ptr + offset if layout.numel else 0, storage.version is None),
        "strides": strides,
        "version": 3,
    }
    if hasattr(backend, "stream_number"):
        told["stream"] = backend.stream_number()
    else:
        backend.synchronize()
    return told
