"""Messages between processes: pickles in which arrays are handles of shared memory.

A reader needs only `pickle.loads` and the functions named in the pickle. Only pickles made by `encode` contain handles;
those of `multiprocessing` itself are unchanged.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from copyreg import dispatch_table
from multiprocessing.reduction import ForkingPickler
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import warn

from .._errors import SharedMemoryError
from .importable import check_importable
from .outgoing import SharedBlock
from .sharing import CollectedTickets, cancel, new_block, receive, send

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from .handles import Handle

INLINE = 4096  # bytes: smaller arrays are part of the message

_warned = False  # whether the warning about an array without shared memory was issued


class _Reductions(dict[type, Callable[[Any], object]]):
    """Reductions by class: those registered here, then those of multiprocessing, then those of copyreg."""

    def __missing__(self, kind: type) -> Callable[[Any], object]:
        table = ForkingPickler._extra_reducers  # type: ignore[attr-defined]
        return table[kind] if kind in table else dispatch_table[kind]  # type: ignore[no-any-return]


_reductions = _Reductions()


class _Pickler(pickle.Pickler):
    dispatch_table = _reductions  # type: ignore[assignment]


class Message:
    """An object on its way to another process; unpickling the message returns the object itself.

    Its arrays are in shared memory, which is held until the message is received or cancelled.

    Arguments:
        content: the object.
        imported: whether receivers are not forks, so that they must import the classes and functions that it names.

    Raises:
        OperationError: the receivers cannot import a name.
    """

    __slots__ = ("_tickets", "data")

    data: bytes

    def __init__(self, content: object, imported: bool = False) -> None:
        file = io.BytesIO()
        with CollectedTickets() as self._tickets:
            _Pickler(file, 5).dump(content)
            self.data = file.getvalue()
            if imported:
                check_importable(self.data)

    def __enter__(self) -> Message:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Cancel the message if sending it failed."""
        if error is not None:
            cancel(self._tickets)

    def __reduce__(self) -> tuple[object, ...]:
        return pickle.loads, (self.data,)


def encode(content: object) -> bytes:
    """Encode an object as bytes, with its arrays in shared memory; `pickle.loads` decodes it, only once."""
    return Message(content).data


def register_reduction(kind: type, reduce: Callable[[Any], object]) -> None:
    """Register the reduction of a class: `reduce(object)` replaces `__reduce__` for objects of exactly this class."""
    _reductions[kind] = reduce


def shared_empty(shape: int | tuple[int, ...], dtype: DTypeLike = float) -> np.ndarray:
    """Return a new array in shared memory: it is sent without a copy, and all processes see each other's changes.

    Arguments:
        shape: the shape of the array.
        dtype: the dtype of its elements; must not contain objects.

    Raises:
        TypeError: the shape does not consist of integers, or the dtype is unknown.
        ValueError: a length is negative, or the dtype contains objects.
        SharedMemoryError: there is too little memory.

    >>> x = shared_empty((2, 3), "int32")
    >>> x[:] = 5
    >>> x.sum()
    np.int64(30)
    """
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        raise InvalidTypeError(f"shared_empty: expected dtype to be one of NumPy's; got {dtype!r}") from None
    lengths = _lengths(shape)
    if kind.hasobject or any(length < 0 for length in lengths):
        raise InvalidValueError(f"shared_empty: expected lengths of at least 0 and no objects; got {shape}, {kind}")
    nbytes = kind.itemsize
    for length in lengths:
        nbytes *= length
    return np.ndarray(lengths, kind, new_block(max(1, nbytes)).array())


def _lengths(shape: object) -> tuple[int, ...]:
    """Return the lengths of a shape: one integer, or a tuple or list of them."""
    found = shape if isinstance(shape, (tuple, list)) else (shape,)
    try:
        return tuple(index(length) for length in found)
    except TypeError:
        raise InvalidTypeError(
            f"shared_empty: expected shape to be an integer or a tuple of integers; got {shape!r}"
        ) from None


def block_under(array: np.ndarray) -> SharedBlock | None:
    """Return the shared block that contains an array's memory, or None."""
    base: object = array
    while base is not None and not isinstance(base, SharedBlock):
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return base


def _reduce_array(array: np.ndarray) -> object:
    block = block_under(array)
    if block is None:
        if array.nbytes <= INLINE or array.dtype.hasobject:
            return array.__reduce_ex__(5)
        try:
            block = new_block(array.nbytes)
        except SharedMemoryError as error:
            _warn_of_copy(array.nbytes, error)
            return array.__reduce_ex__(5)
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        copy = np.ndarray(array.shape, array.dtype, block.array(), order="F" if fortran else "C")
        copy[...] = array
        return _array, (send(block), array.shape, array.dtype, 0, copy.strides, True)
    start = array.ctypes.data - block.address
    return _array, (send(block), array.shape, array.dtype, start, array.strides, array.flags.writeable)


def _warn_of_copy(nbytes: int, error: SharedMemoryError) -> None:
    global _warned
    if not _warned:
        _warned = True
        warn(
            f"sending an array of {nbytes} bytes: it goes through the pipe, because no shared memory is left, and "
            f"so may others from now on, which is slower ({error}); let receivers drop their arrays, or send fewer"
        )


def _array(
    handle: Handle, shape: tuple[int, ...], dtype: np.dtype, start: int, strides: tuple[int, ...], writeable: bool
) -> np.ndarray:
    array = np.ndarray(shape, dtype, receive(handle).array(), start, strides)
    array.flags.writeable = writeable
    return array


register_reduction(np.ndarray, _reduce_array)
