"""Export to Python numbers and lists, NumPy, DLPack and buffers. protocols.py has Python's other protocols."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, BufferAccessError, FaculaError, OperationError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import (
    Layout,
    bool_,
    contiguous,
    cpu,
    cuda_array,
    dlpack_device,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    prepare_stream,
    to_buffer,
    to_dlpack,
    to_numpy,
    uint8,
)
from facula_storage.extend.layouts import layout_cache_clearers
from facula_storage.extend.recording import recorders

from .._core.errors import named
from .._core.tensor import Tensor, addressable, layout_of_tensor, method, readable, snapshot
from .._creation.from_memory import from_numpy
from .._dispatch.namespaces import no_record_ops

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_storage import Device, DType

    from .._core.types import Number


MAX_DIMS = 64  # of NumPy's arrays
HOST = (1, 0)  # DLPack's numbers of host memory
READERS: dict[tuple[DType, Device], Callable[[int], Any]] = {  # of an element at an address
    (bool_, cpu): ctypes.c_bool.from_address,
    (uint8, cpu): ctypes.c_uint8.from_address,
    (int8, cpu): ctypes.c_int8.from_address,
    (int16, cpu): ctypes.c_int16.from_address,
    (int32, cpu): ctypes.c_int32.from_address,
    (int64, cpu): ctypes.c_int64.from_address,
    (float32, cpu): ctypes.c_float.from_address,
    (float64, cpu): ctypes.c_double.from_address,
}


def _host(self: Tensor, operation: str = "tolist") -> Tensor:
    """Return the elements in host memory and in a dtype that NumPy supports: a snapshot, or a copy."""
    self = snapshot(readable(self, operation))
    if self._layout.dtype.numpy is None:
        self = no_record_ops.to(self, (float32,))
    return self if self._layout.device is cpu else no_record_ops.to_device(self, (cpu, False))


# READERS, by the one-element layouts seen so far.
readers: dict[Layout, Any] = {}
layout_cache_clearers.append(readers.clear)
MAX_READERS = 256


def forget_readers() -> None:
    """Make the next read of an element take the slow path, which notifies recorders."""
    readers.clear()


def only_element(operation: str, self: Tensor) -> Number:
    """Return the element of any one-element tensor; ValueError for other tensors."""
    now = snapshot(readable(self, operation))
    layout = now._layout
    if layout.numel != 1:
        problem = f"expected a tensor of one element; got shape {layout.shape}; use .tolist()"
        if operation == "bool":
            problem = f"the truth of a tensor of {layout.numel} elements is ambiguous; use .any(), .all() or .numel()"
        raise named(ArgumentError(f"{operation}: {problem}"))
    reader = READERS.get((layout.dtype, layout.device))
    if reader is not None and not recorders:
        if len(readers) >= MAX_READERS:
            readers.clear()
        readers[layout] = reader
    read = None if layout.device is cpu else getattr(layout.device.backend, "read", None)
    if read is not None:
        if layout.dtype.numpy is None:
            now = no_record_ops.to(now, (float32,))
        number: Number = read(now._storage.ptr + now._offset, now._layout.dtype)
        return number
    host = _host(now)  # another dtype or device, a subclass, or the first read of its layout
    return to_numpy(host._storage, contiguous((), host._layout.dtype), host._offset).item()


@method()
def item(self: Tensor) -> Number:
    """Return the element as a Python number. ValueError unless there is exactly one.

    >>> from facula_tensor import tensor
    >>> tensor([2.5]).item()
    2.5
    """
    try:
        try:  # as in Note [One moment]; the references keep storage and buffer alive: see Note [Replacing a buffer]
            storage = self._storage
            return readers[self._layout](storage.ptr + self._offset).value
        except (AttributeError, KeyError, TypeError):
            pass
        return only_element("item", self)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def tolist(self: Tensor) -> list[Any]:
    """Return the elements as nested lists of Python numbers; a number for zero dimensions.

    >>> from facula_tensor import tensor
    >>> tensor([[1, 2]]).tolist()
    [[1, 2]]
    """
    try:
        host = _host(self)
        layout = host._layout
        if len(layout.shape) <= MAX_DIMS:
            return to_numpy(host._storage, layout, host._offset).tolist()
        nested = no_record_ops.reshape(host, (-1,)).tolist()
        for size in layout.shape[:0:-1]:  # NumPy arrays have fewer dimensions
            nested = [nested[i : i + size] for i in range(0, len(nested), size)] if size else []
        return nested
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """Return a NumPy array that shares the tensor's memory, so that writes to one are visible in the other.

    `force` copies if necessary (another device, a required gradient). Without it, RuntimeError for a tensor
    that requires a gradient, TypeError for another device and for dtypes that NumPy lacks (bfloat16, float8).

    >>> from facula_tensor import ones
    >>> ones(2).numpy()
    array([1., 1.], dtype=float32)
    """
    try:
        if not force and self.node is not None:
            raise OperationError(
                "numpy: this tensor requires a gradient, which NumPy would lose; use .detach().numpy()"
            )
        now = _host(self) if force else addressable("numpy", self)
        return to_numpy(now._storage, now._layout, now._offset)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__array__")
def array(self: Tensor, dtype: np.dtype[Any] | None = None, copy: bool | None = None) -> np.ndarray:
    """Return a NumPy array of the elements, for `numpy.asarray(tensor)` and libraries such as Matplotlib.

    Arguments:
        dtype: NumPy's dtype of the result; that of the tensor if None.
        copy: True always copies; False raises ValueError if another dtype needs a copy.
    """
    try:
        if self.node is not None:
            raise OperationError(
                "__array__: NumPy, or a library that uses it, asked for the elements of a tensor that requires a "
                "gradient, "
                "which would be lost there; pass .detach() of the tensor"
            )
        result = numpy(self)
        if dtype is not None and result.dtype != dtype:
            if copy is False:
                raise ArgumentError(f"__array__: {result.dtype} cannot become {dtype} without a copy; pass copy=None")
            return result.astype(dtype)
        return result.copy() if copy else result
    except FaculaError as error:
        trim_traceback(error)
        raise


# NumPy arrays and scalars defer to the tensor in operators: `np.float32(2) * t` is `t.__rmul__(...)`.
Tensor.__array_priority__ = 1000  # type: ignore[attr-defined]


@method("__array_wrap__")
@boundary
def wrapped(self: Tensor, array: np.ndarray, context: object = None, return_scalar: bool = False) -> Tensor:
    """Wrap the result of a NumPy function of this tensor, such as `numpy.sin(tensor)`, as a tensor.

    Arguments:
        array: the result.
        context: ignored.
        return_scalar: ignored.
    """
    return from_numpy(np.asarray(array))


@method("__dlpack__")
@boundary
def dlpack(
    self: Tensor,
    *,
    stream: object = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> object:
    """Return a DLPack capsule that shares the memory; `copy=True` exports a copy. BufferError for a tensor that
    requires a gradient, and for a `dl_device` other than this tensor's or the host.

    Arguments:
        stream: the stream of the caller, which waits for the work of this device: a number, None for the default
            stream, or -1 for none. Ignored for host memory.
        max_version: the newest version of DLPack that the caller understands.
        dl_device: the requested device: the device of this tensor, None for it, or (1, 0) for a copy on the host.
        copy: whether to copy the memory.
    """
    if dl_device is not None and tuple(dl_device) == HOST and copy is not False:
        self = self.cpu()  # itself, if it is there
    if dl_device is not None and tuple(dl_device) != device_for_dlpack(self):
        raise BufferAccessError(
            f"__dlpack__: expected dl_device {device_for_dlpack(self)}, where the elements are; got {dl_device}; "
            "use .to(device) first"
        )
    if self.node is not None:
        raise BufferAccessError("__dlpack__: this tensor requires a gradient, which DLPack would lose; use .detach()")
    now = addressable("__dlpack__", no_record_ops.clone(self) if copy else self)
    prepare_stream("__dlpack__", now._layout.device, stream)
    return to_dlpack(now._storage, now._layout, now._offset, max_version)


def cuda_array_interface(self: Tensor) -> dict[str, Any]:
    """The memory, for libraries of CUDA arrays: see `facula_storage.cuda_array`.

    AttributeError on other devices; RuntimeError for a tensor that requires a gradient.
    """
    try:
        now = addressable("__cuda_array_interface__", self)
        told = cuda_array(now._storage, now._layout, now._offset)
        if self.node is not None:
            raise OperationError(
                "__cuda_array_interface__: this tensor requires a gradient, which would be lost; use .detach()"
            )
        return told
    except FaculaError as error:
        trim_traceback(error)
        raise


Tensor.__cuda_array_interface__ = property(  # type: ignore[method-assign, assignment]
    cuda_array_interface
)


@method("__dlpack_device__")
def device_for_dlpack(self: Tensor) -> tuple[int, int]:
    """Return the pair (device type, index) of the DLPack standard."""
    try:
        return dlpack_device(layout_of_tensor(self))
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__buffer__")
def buffer(self: Tensor, flags: int) -> memoryview:
    """Return a memoryview of the tensor's memory (Python 3.12 calls it for `memoryview(tensor)`, NumPy for
    `asarray`).

    BufferError for a tensor that requires a gradient; NumPy then calls `__array__`, which raises the full error.
    """
    try:
        if self.node is not None:
            raise BufferAccessError("buffer: this tensor requires a gradient, which a buffer would lose; use .detach()")
        now = addressable("buffer", self)
        return memoryview(to_buffer(now._storage, now._layout, now._offset))
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("data_ptr")
@boundary
def data_ptr(self: Tensor) -> int:
    """Return the address of the first element."""
    now = addressable("data_ptr", self)
    return now._storage.ptr + now._offset if now._layout.numel else 0
