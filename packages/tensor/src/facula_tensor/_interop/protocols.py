"""Protocols of Python: `len`, `iter`, `bool`, `int`, `format`, `in` and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, kind_of, trim_traceback
from facula_storage import Layout, bool_
from facula_storage.extend.layouts import INTEGER
from facula_storage.extend.recording import note_sizes, recorders

from .._core.errors import named
from .._core.promotion import plain_number
from .._core.tensor import Tensor, elements, layout_of_tensor, method, readable, snapshot
from .._dispatch.namespaces import recorded_ops
from .export import item, only_element, readers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core.types import Number, Operand


@method("__len__")
def length(self: Tensor) -> int:
    """The length of the first dimension."""
    try:
        layout = self._layout
        shape = layout.shape if type(layout) is Layout else layout_of_tensor(self).shape
        if not shape:
            raise InvalidTypeError("len: a zero-dimensional tensor has no length; use numel()")
        return note_sizes(shape[:1], True)[0] if recorders else shape[0]
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__iter__")
@boundary
def iterate(self: Tensor) -> Iterator[Tensor]:
    """The elements along the first dimension, as views."""
    if not layout_of_tensor(self).shape:
        raise InvalidTypeError("iteration: a zero-dimensional tensor cannot be iterated over; use .item()")
    return iter(recorded_ops.unbind(self, 0))


@method("__bool__")
def truth(self: Tensor) -> bool:
    """Return whether the element is nonzero. ValueError unless there is exactly one."""
    try:
        try:  # as `item` does
            storage = self._storage
            return bool(readers[self._layout](storage.ptr + self._offset).value)
        except (AttributeError, KeyError, TypeError):
            pass
        return bool(only_element("bool", self))
    except FaculaError as error:
        trim_traceback(error)
        raise


def real_part(operation: str, number: Number) -> Number:
    """Return a real number unchanged, or a complex number's real part; TypeError if its imaginary part is nonzero."""
    if isinstance(number, complex):
        if number.imag != 0:
            raise named(InvalidTypeError(f"{operation}: expected an element without imaginary part; got {number}"))
        return number.real
    return number


@method("__float__")
def as_float(self: Tensor) -> float:
    """Return the element as a float."""
    try:
        try:  # as `item` does
            storage = self._storage
            return float(readers[self._layout](storage.ptr + self._offset).value)
        except (AttributeError, KeyError, TypeError):
            pass
        return float(real_part("float", only_element("float", self)))
    except FaculaError as error:
        trim_traceback(error)
        raise


@method("__int__")
def as_int(self: Tensor) -> int:
    """Return the element as an int, truncated. OverflowError or ValueError for infinity and NaN."""
    try:
        try:  # as `item` does
            storage = self._storage
            number = readers[self._layout](storage.ptr + self._offset).value
        except (AttributeError, KeyError, TypeError):
            number = None
        if number is None:
            number = real_part("int", only_element("int", self))
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
    """Return the element as a complex number."""
    return complex(item(self))


@method("__index__")
@boundary
def as_index(self: Tensor) -> int:
    """Return the element of an integer tensor as an int. TypeError for other dtypes."""
    now = snapshot(readable(self, "index"))
    dtype, shape = now._layout.dtype, now._layout.shape
    if dtype.category > INTEGER or now._layout.numel != 1:
        raise named(
            InvalidTypeError(f"index: only integer tensors of one element can be an index; got {dtype.name} {shape}")
        )
    return int(item(now))


@method("__pos__")
@boundary
def positive(self: Tensor) -> Tensor:
    """Return the tensor itself. TypeError for bool, as for `-x`."""
    if self.dtype is bool_:
        raise DTypeError("pos: not defined for bool; convert with .long()")
    return self


@method("__bytes__")
@boundary
def as_bytes(self: Tensor) -> bytes:
    """Return a byte for each integer element, like `bytes(list)`; for zero dimensions, that number of zeros.

    >>> from facula_tensor import tensor
    >>> bytes(tensor([1, 255]))
    b'\\x01\\xff'
    """
    try:
        return bytes(self.tolist())
    except (TypeError, ValueError) as error:
        got = f"{self.dtype.name} {tuple(self.shape)}"
        raise kind_of(error)(
            f"bytes: expected integers from 0 to 255 in one dimension; got {got}; for the bytes in memory, use "
            "bytes(t.numpy())"
        ) from None


@method("__format__")
@boundary
def formatted(self: Tensor, spec: str) -> str:
    """Format the element, for `f"{tensor:.2f}"`. TypeError for a tensor with dimensions and a `spec`."""
    now = snapshot(elements(self))
    if type(self) is Tensor and not now._layout.shape and now._layout.device.type != "meta":
        return format(item(now), spec)
    if spec:
        raise InvalidTypeError(
            f"format: expected a zero-dimensional tensor for {spec!r}; got shape {now._layout.shape}; use .item()"
        )
    return str(self)


@method("__contains__")
@boundary
def contains(self: Tensor, value: Operand) -> bool:
    """Return whether any element equals `value`, a tensor or a number; TypeError for other values."""
    if not isinstance(value, Tensor) and plain_number(value) is None:
        raise InvalidTypeError(f"in: expected a tensor or a number; got {type(value).__name__} {value!r:.60}")
    return bool((self == value).any().item())


Tensor.__hash__ = object.__hash__  # type: ignore[method-assign]  # by identity: == compares elements
