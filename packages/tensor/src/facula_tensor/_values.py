"""Out of the library: Python numbers and lists, NumPy, DLPack, and what Python itself asks of an object."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import BufferAccessError, FaculaError, InvalidTypeError, OperationError
from facula_errors.extend import boundary, kind_of, trim_traceback
from facula_storage import (
    Layout,
    bfloat16,
    bool_,
    contiguous,
    cpu,
    dlpack_device,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    to_buffer,
    to_dlpack,
    to_numpy,
    uint8,
)
from facula_storage.extend import FLOATING, INTEGER, alias, blank, forgetting, plain_address

from ._errors import ArgumentError, DTypeError, named
from ._operator import raw, recording
from ._overrides import ask, overridden
from ._promotion import plain_number
from ._sites import user_site
from ._tensor import Overridden, Tensor, layout_of_tensor, method, snapshot
from ._viewing import as_tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from facula_storage import Device, DType


MOST_DIMS = 64  # of NumPy's arrays
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


def _host(self: Tensor) -> Tensor:
    """The elements in host memory and in a dtype that NumPy has: a snapshot, or a copy."""
    self = snapshot(self)
    if self._layout.dtype is bfloat16:
        self = raw.to(self, (float32,))
    return self if self._layout.device is cpu else raw.to_device(self, (cpu,))


# READERS, found by the layouts of one element that were met.
_readers: dict[Layout, Any] = {}
forgetting.append(_readers.clear)
MOST_READERS = 256


def _only_element(operation: str, self: Tensor) -> Any:
    """The one element of any tensor, and ValueError where there are more or none."""
    now = snapshot(self)
    layout = now._layout
    if layout.numel != 1:
        problem = f"expected a tensor of one element; got shape {layout.shape}; use .tolist()"
        if operation == "bool":
            problem = f"the truth of a tensor of {layout.numel} elements is ambiguous; use .any(), .all() or .numel()"
        raise named(ArgumentError(f"{operation}: {problem}"))
    reader = READERS.get((layout.dtype, layout.device))
    if reader is not None:
        if len(_readers) >= MOST_READERS:
            _readers.clear()
        _readers[layout] = reader
    host = _host(now)  # another dtype or device, a buffer in another order, a subclass, or the first of its layout
    return to_numpy(host._storage, contiguous((), host._layout.dtype), host._offset).item()


@method()
def item(self: Tensor) -> Any:
    """The one element, as a Python number. ValueError where there are more or none.

    >>> from facula_tensor import tensor
    >>> tensor([2.5]).item()
    2.5
    """
    try:
        try:  # as in Note [One moment]; the storage is held, and its buffer is: see Note [Replacing a buffer]
            storage = self._storage
            return _readers[self._layout](storage.ptr + self._offset).value
        except (AttributeError, KeyError, TypeError):
            pass
        return _only_element("item", self)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def tolist(self: Tensor) -> Any:
    """The elements as nested lists of Python numbers; a number for zero dimensions.

    >>> from facula_tensor import tensor
    >>> tensor([[1, 2]]).tolist()
    [[1, 2]]
    """
    try:
        host = _host(self)
        layout = host._layout
        if len(layout.shape) <= MOST_DIMS:
            return to_numpy(host._storage, layout, host._offset).tolist()
        nested = raw.reshape(host, (-1,)).tolist()
        for size in layout.shape[:0:-1]:  # NumPy has no array of so many dimensions
            nested = [nested[i : i + size] for i in range(0, len(nested), size)] if size else []
        return nested
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """A NumPy array over the same memory: no copy, writing to one shows in the other.

    `force` copies where it must (another device, a gradient is wanted). Otherwise RuntimeError where a gradient is
    wanted, TypeError on another device and for bfloat16.

    >>> from facula_tensor import ones
    >>> ones(2).numpy()
    array([1., 1.], dtype=float32)
    """
    try:
        if not force and self.node is not None:
            raise OperationError(
                "numpy: this tensor requires a gradient, which NumPy would lose; use .detach().numpy()"
            )
        now = _host(self) if force else snapshot(self)
        return to_numpy(now._storage, now._layout, now._offset)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__array__")
def array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """What `numpy.asarray(tensor)` gets, and libraries such as Matplotlib with it."""
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
                raise ArgumentError(f"__array__: {result.dtype} cannot become {dtype} without a copy")
            return result.astype(dtype)
        return result.copy() if copy else result
    except FaculaError as error:
        trim_traceback(error)
        raise


# NumPy's arrays and numbers leave operators with a tensor to the tensor: `np.float32(2) * t` is `t.__rmul__(...)`.
Tensor.__array_priority__ = 1000  # type: ignore[attr-defined]


@method("__array_wrap__")
@boundary
def wrapped(self: Tensor, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy's own functions of tensors give, such as `numpy.sin(tensor)`: a tensor over their result."""
    from ._from_data import from_numpy

    return from_numpy(np.asarray(array))


@method("__dlpack__")
@boundary
def dlpack(
    self: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: Any = None,
    copy: bool | None = None,
) -> object:
    """A DLPack capsule over the same memory. `copy=True` exports a copy.

    BufferError where a gradient is wanted, and for a `dl_device` other than this tensor's.
    """
    if dl_device is not None and tuple(dl_device) != device_for_dlpack(self):
        raise BufferAccessError(
            f"__dlpack__: expected dl_device {device_for_dlpack(self)}, where the elements are; got {dl_device}; "
            "use .to(device) first"
        )
    if self.node is not None:
        raise BufferAccessError("__dlpack__: this tensor requires a gradient, which DLPack would lose; use .detach()")
    now = raw.clone(self) if copy else snapshot(self)
    return to_dlpack(now._storage, now._layout, now._offset, max_version)


@method("__dlpack_device__")
def device_for_dlpack(self: Tensor) -> tuple[int, int]:
    """The pair (device type, index) of the DLPack standard."""
    try:
        return dlpack_device(layout_of_tensor(self))
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__buffer__")
def buffer(self: Tensor, flags: int) -> memoryview:
    """A memoryview over the same memory (Python 3.12 calls it for `memoryview(tensor)`, NumPy for `asarray`).

    BufferError where a gradient is wanted; NumPy then asks `__array__`, which says so.
    """
    try:
        if self.node is not None:
            raise BufferAccessError("buffer: this tensor requires a gradient, which a buffer would lose; use .detach()")
        now = snapshot(self)
        return memoryview(to_buffer(now._storage, now._layout, now._offset))
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("data_ptr")
@boundary
def data_ptr(self: Tensor) -> int:
    """The address of the first element, putting the buffer in plain order first if it is not."""
    now = snapshot(self)
    return plain_address(now._storage) + now._offset if now._layout.numel else 0


@method("__len__")
def length(self: Tensor) -> int:
    """The length of the first dimension."""
    try:
        shape = layout_of_tensor(self).shape
        if not shape:
            raise InvalidTypeError("len: a zero-dimensional tensor has no length")
        return shape[0]
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__iter__")
@boundary
def iterate(self: Tensor) -> Iterator[Tensor]:
    """The elements along the first dimension, as views."""
    if not layout_of_tensor(self).shape:
        raise InvalidTypeError("iteration: a zero-dimensional tensor has nothing to iterate over; use .item()")
    return iter(recording.unbind(self, 0))


@method("__bool__")
def truth(self: Tensor) -> bool:
    """Whether the one element is nonzero. ValueError where there are more or none."""
    try:
        try:  # as `item` does
            storage = self._storage
            return bool(_readers[self._layout](storage.ptr + self._offset).value)
        except (AttributeError, KeyError, TypeError):
            pass
        return bool(_only_element("bool", self))
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__float__")
def as_float(self: Tensor) -> float:
    """The one element as a float."""
    try:
        try:  # as `item` does
            storage = self._storage
            return float(_readers[self._layout](storage.ptr + self._offset).value)
        except (AttributeError, KeyError, TypeError):
            pass
        return float(_only_element("float", self))
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__int__")
def as_int(self: Tensor) -> int:
    """The one element as an int; the fraction is cut off. OverflowError or ValueError for infinity and NaN."""
    try:
        try:  # as `item` does
            storage = self._storage
            number = _readers[self._layout](storage.ptr + self._offset).value
        except (AttributeError, KeyError, TypeError):
            number = None
        if number is None:
            number = _only_element("int", self)
        try:
            return int(number)
        except (OverflowError, ValueError) as error:
            raise kind_of(error)(f"int: expected a finite element; got {number}") from None
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__complex__")
@boundary
def as_complex(self: Tensor) -> complex:
    """The one element as a complex number."""
    return complex(item(self))


@method("__index__")
@boundary
def as_index(self: Tensor) -> int:
    """The one element of an integer tensor as an int. TypeError for other dtypes."""
    now = snapshot(self)
    dtype, shape = now._layout.dtype, now._layout.shape
    if dtype.category > INTEGER or now._layout.numel != 1:
        raise named(
            InvalidTypeError(f"index: only integer tensors of one element can be an index; got {dtype.name} {shape}")
        )
    return int(item(now))


@method("__pos__")
@boundary
def positive(self: Tensor) -> Tensor:
    """The tensor itself. TypeError for bool, as `-x`."""
    if self.dtype is bool_:
        raise DTypeError("pos: not defined for bool; convert with .long()")
    return self


@method("__bytes__")
@boundary
def as_bytes(self: Tensor) -> bytes:
    """A byte of each integer element, as `bytes(list)` has it; zeros of that number for zero dimensions.

    >>> from facula_tensor import tensor
    >>> bytes(tensor([1, 255]))
    b'\\x01\\xff'
    """
    try:
        return bytes(self.tolist())
    except (TypeError, ValueError) as error:
        got = f"{self.dtype.name} {tuple(self.shape)}"
        raise kind_of(error)(
            f"bytes: expected integers from 0 to 255 in one dimension; got {got}; for what is in memory, "
            "bytes(t.numpy())"
        ) from None


@method("__format__")
@boundary
def formatted(self: Tensor, spec: str) -> str:
    """What `f"{tensor:.2f}"` gives: the element, for zero dimensions. TypeError for others if there is a `spec`."""
    now = snapshot(self)
    if type(self) is Tensor and not now._layout.shape and now._layout.device.type != "meta":
        return format(item(now), spec)
    if spec:
        raise InvalidTypeError(
            f"format: expected a zero-dimensional tensor for {spec!r}; got shape {now._layout.shape}; use .item()"
        )
    return str(self)


@method("__contains__")
@boundary
def contains(self: Tensor, value: Any) -> bool:
    """Whether any element equals `value`, a tensor or a number; TypeError for what is neither."""
    if not isinstance(value, Tensor) and plain_number(value) is None:
        raise InvalidTypeError(f"in: expected a tensor or a number; got {type(value).__name__} {value!r:.60}")
    return bool((self == value).any().item())


Tensor.__hash__ = object.__hash__  # type: ignore[method-assign]  # by identity: == compares elements


@method()
def detach(self: Tensor) -> Tensor:
    """A tensor over the same memory, without the graph: it wants no gradient. Both share one version.

    >>> from facula_tensor import ones
    >>> ones(2, requires_grad=True).detach().requires_grad
    False
    """
    try:
        layout = self._layout
        storage = self._storage
        offset = self._offset
        if type(layout) is Overridden:
            if overridden((self,)):
                return ask("detach", detach, (self,), {})
            layout = layout.real
        t = blank(Tensor)
        t._layout = layout
        t._storage = storage
        t._offset = offset
        t.node = None
        return t
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
@boundary
def detach_(self: Tensor) -> Tensor:
    """Take this tensor out of its graph. RuntimeError for views, whose family would disagree."""
    if hasattr(self, "_base") and self.node is not None:
        raise OperationError("detach_: a view cannot be detached in place; use .detach()")
    self.node = None
    return self


def _get_data(self: Tensor) -> Tensor:
    now = snapshot(self)
    now._storage = alias(now._storage)
    return now


def _set_data(self: Tensor, new: Tensor) -> None:
    if not isinstance(new, Tensor):
        raise InvalidTypeError(f"data: expected a Tensor; got {type(new).__name__}")
    now = snapshot(new)
    layout, storage, offset = now._layout, alias(now._storage), now._offset
    if self.node is not None and layout.dtype.category < FLOATING:
        raise InvalidTypeError(
            f"data: this tensor wants a gradient, and {layout.dtype.name} has none; use a floating dtype"
        )
    # The version goes on from the former memory's: a node that saved this tensor finds it changed.
    if storage.version is not None:
        storage.version = (self._storage.version or 0) + 1
        storage.mutator = ("data", *user_site())
    if type(self._layout) is Overridden:
        layout = Overridden(layout)  # type: ignore[assignment]
    # All three with no call between, so that no thread sees a mixture.
    self._layout = layout
    self._storage = storage
    self._offset = offset


Tensor.data = property(  # type: ignore[method-assign, assignment]
    _get_data,
    _set_data,
    doc="A tensor over the same memory, with a version of its own; assigning gives this tensor other memory.",
)


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


@boundary
def numel(input: Tensor) -> int:
    """The number of elements.

    >>> from facula_tensor import ones
    >>> numel(ones(2, 3))
    6
    """
    return as_tensor("numel", input).numel()


@boundary
def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a real floating-point type."""
    return as_tensor("is_floating_point", input).is_floating_point()


@boundary
def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex."""
    return as_tensor("is_complex", input).is_complex()
