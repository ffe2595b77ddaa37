"""Messages between processes: pickles whose arrays are handles of shared memory.

Whoever reads one needs nothing of this but the functions that it names: `pickle.loads` is enough. Only pickles made by
`encode` have handles; those of `multiprocessing` itself stay as they are.
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

INLINE = 4096  # bytes: what is smaller goes into the message itself

_warned = False  # that an array found no room


class _Reductions(dict[type, Callable[[Any], object]]):
    """How objects of each class are pickled: as was registered here, else with multiprocessing, else with copyreg."""

    def __missing__(self, kind: type) -> Callable[[Any], object]:
        table = ForkingPickler._extra_reducers  # type: ignore[attr-defined]
        return table[kind] if kind in table else dispatch_table[kind]  # type: ignore[no-any-return]


_reductions = _Reductions()


class _Pickler(pickle.Pickler):
    dispatch_table = _reductions  # type: ignore[assignment]


class Message:
    """An object on its way to another process, where unpickling this gives the object itself.

    What it has of arrays is in shared memory, which is held until it is received, or cancelled.

    Arguments:
        content: the object.
        imported: whether receivers, which are not forks, import the classes and functions that it names.

    Raises:
        OperationError: they cannot.
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
        """Cancel it where sending it failed."""
        if error is not None:
            cancel(self._tickets)

    def __reduce__(self) -> tuple[object, ...]:
        return pickle.loads, (self.data,)


def encode(content: object) -> bytes:
    """An object as bytes, whose arrays are in shared memory; `pickle.loads` gives it back, once."""
    return Message(content).data


def register_reduction(kind: type, reduce: Callable[[Any], object]) -> None:
    """Let objects of exactly this class travel as `reduce(object)` says, which is what `__reduce__` would give."""
    _reductions[kind] = reduce


def shared_empty(shape: int | tuple[int, ...], dtype: DTypeLike = float) -> np.ndarray:
    """A new array in shared memory: it is sent without a copy, and all who have it see each other's changes.

    Arguments:
        shape: of the array.
        dtype: of its elements; no objects.

    Raises:
        TypeError: the shape has no integers, or there is no such dtype.
        ValueError: a length is negative, or the dtype has objects.
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
    """The lengths of a shape: one integer, or a tuple or list of them."""
    found = shape if isinstance(shape, (tuple, list)) else (shape,)
    try:
        return tuple(index(length) for length in found)
    except TypeError:
        raise InvalidTypeError(
            f"shared_empty: expected shape to be an integer or a tuple of integers; got {shape!r}"
        ) from None


def block_under(array: np.ndarray) -> SharedBlock | None:
    """The shared block that an array lies in; None where it is in other memory."""
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
            f"sending an array of {nbytes} bytes: it goes through the pipe, as there is no shared memory for it, and "
            f"so may others from now on, which is slower ({error}); let receivers drop what they hold, or send less"
        )


def _array(
    handle: Handle, shape: tuple[int, ...], dtype: np.dtype, start: int, strides: tuple[int, ...], writeable: bool
) -> np.ndarray:
    array = np.ndarray(shape, dtype, receive(handle).array(), start, strides)
    array.flags.writeable = writeable
    return array


register_reduction(np.ndarray, _reduce_array)
