"""New tensors from data: nested sequences of numbers, arrays and existing memory."""

from __future__ import annotations

import ctypes
from array import array
from functools import reduce
from itertools import chain
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, moved, trim_traceback
from facula_storage import Device, DType, contiguous, cpu, float32, float64, int64, uint64
from facula_storage.extend.layouts import INTEGER, dtype_of_numpy
from facula_storage.extend.recording import current_recorder

from .._core.allocation import fresh, layout_for, place_of
from .._core.default_device import other_default, other_defaults
from .._core.errors import relabel
from .._core.foreign import is_sequence, tensor_over
from .._core.formats import check_storage
from .._core.promotion import (
    SCALAR_CATEGORY,
    as_dtype,
    get_default_dtype,
    number_for,
    plain_number,
    promote_types,
    scalar_dtype,
)
from .._core.tensor import Tensor, method
from .._dispatch.namespaces import no_record_ops
from .filled import empty, finish_data
from .filling import fill_snapshot, filled
from .from_memory import from_dlpack, from_numpy, shared_cuda_array

moved(__name__)  # names that pickles of earlier releases contain

if TYPE_CHECKING:
    from .._core.types import Data, DeviceLike, DTypeLike, Function, Number, Operand

MAX_DIMS = 64  # of nested sequences; stops at lists that contain themselves


def tensor(
    data: Data,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a tensor with a copy of `data`: a number, nested sequences of numbers, an array, or a tensor.

    Sequences are lists, tuples, ranges, deques, `array`, memoryviews and all other Python sequences. Arrays are NumPy
    arrays and objects with ``__array__``, such as tables. Without `dtype`, arrays and tensors keep theirs, and numbers
    determine it: bool, int64, the default floating dtype, or the corresponding complex one. A ValueError names the
    position where nested sequences differ in length.

    Arguments:
        data: the elements.
        dtype: the dtype of the result; determined by `data` if None.
        device: the device of the result; that of `data`, or the default device, if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: whether the result is in pinned memory.

    >>> tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    try:
        if pin_memory:
            check_storage("tensor", None, pin_memory)
            return finish_data(tensor(data, dtype=dtype, device=device).pin_memory(), requires_grad)
        try:
            if dtype is None and device is None:
                result = _from_plain(data)
                if result is not None:
                    return result if requires_grad is False else finish_data(result, requires_grad)
            return _from_any(data, None if dtype is None else as_dtype(dtype, "tensor"), device, requires_grad)
        except Exception as error:  # the message names `as_tensor` if the user called that
            relabel(error, "tensor")
            raise
    except FaculaError as error:
        trim_traceback(error)
        raise


def _from_any(data: Any, wanted: DType | None, device: DeviceLike | None, requires_grad: bool) -> Tensor:
    """Return a tensor of any `data`, in the dtype `wanted`; determined by the data if None."""
    place = place_of(device) if device is not None else other_default()
    if type(data) in SCALAR_CATEGORY or type(data) is list:  # no other interpretation is possible
        return finish_data(_from_sequence(data, wanted, place or cpu), requires_grad)
    if isinstance(data, Tensor):
        data = data.detach()  # copies have no tangent
        result = no_record_ops.clone(data) if wanted in (None, data.dtype) else no_record_ops.to(data, (wanted,))
        if place is not None and place is not data.device:
            result = no_record_ops.to_device(result, (place, False))
        return finish_data(result, requires_grad)
    if isinstance(data, np.generic) or isinstance(data, np.ndarray):
        array = np.asarray(data)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        elif not array.flags.aligned:
            array = array.copy()
        if array.dtype.kind not in "biufc" or array.dtype.itemsize > 16:
            dtype_of_numpy(array.dtype)  # raises an error with the reason
        return finish_data(from_array(array, wanted or dtype_of_numpy(array.dtype), place or cpu), requires_grad)
    data = _as_array(data)
    if isinstance(data, np.ndarray):
        return _from_any(data, wanted, device, requires_grad)
    if hasattr(data, "__cuda_array_interface__") and not hasattr(data, "__dlpack__"):
        data = shared_cuda_array(data)
        return _from_any(data, wanted, device, requires_grad)
    if hasattr(data, "__dlpack__") and not isinstance(data, (list, tuple)):
        return _from_any(from_dlpack(data), wanted, device, requires_grad)
    return finish_data(_from_sequence(data, wanted, place or cpu), requires_grad)


# Short lists of numbers of one Python type are packed directly into new memory. Packers are cached by count and type.
MOST_PACKED, MOST_PACKERS = 1024, 256
_packers: dict[tuple[int, DType], tuple[Function, Function]] = {}
_LETTERS = {float32: "f", float64: "d", int64: "q"}


def _from_plain(data: Any) -> Tensor | None:
    """Return a tensor of a number, or of short lists of equal length, all int or all float; None for other data."""
    if other_defaults:
        return None
    kind = type(data)
    if kind is float or kind is int:
        try:
            return filled(layout_for("tensor", (), None, int64 if kind is int else None, None), "tensor", data)
        except OverflowError:
            return None
    if kind is not list:
        return None
    shape: tuple[int, ...] = (len(data),)
    kinds = set(map(type, data))
    while kinds == _LISTS and len(shape) < MAX_DIMS:
        lengths = set(map(len, data))
        if len(lengths) != 1 or len(data) * max(lengths) > MOST_PACKED:  # also stops at circular lists
            return None
        shape += (*lengths,)
        data = list(chain.from_iterable(data))
        kinds = set(map(type, data))
    if kinds != _FLOATS and kinds != _INTS:
        return None
    layout = contiguous(shape, int64 if kinds == _INTS else get_default_dtype())
    letter = _LETTERS.get(layout.dtype)
    if letter is None or layout.numel > MOST_PACKED:
        return None
    count = layout.numel
    try:
        pack, at = _packers[count, layout.dtype]
    except KeyError:
        if len(_packers) >= MOST_PACKERS:
            _packers.clear()
        pack, at = _packers[count, layout.dtype] = (
            Struct(f"={count}{letter}").pack_into,
            (ctypes.c_char * layout.nbytes).from_address,
        )
    result = fresh(layout)
    try:
        pack(at(result._storage.ptr), 0, *data)
    except (OverflowError, StructError):
        return None
    recorder = current_recorder()
    if recorder is not None:
        recorder.filled(result._storage, layout)
    return result


_LISTS, _FLOATS, _INTS = {list}, {float}, {int}


def _as_array(data: Any) -> Any:
    """Convert objects with ``__array__`` (such as tables) to arrays and buffers to lists; return others unchanged."""
    if isinstance(data, (list, tuple, range, Tensor, np.ndarray, np.generic, str)):
        return data
    if isinstance(data, (array, memoryview)):
        return data.tolist()
    return np.asarray(data) if hasattr(data, "__array__") and not isinstance(data, type) else data


def _from_sequence(data: Any, wanted: DType | None, device: Device) -> Tensor:
    """Return a tensor of nested sequences, in the dtype `wanted`; determined by their numbers if None."""
    shape: tuple[int, ...] = ()
    probe = data
    while is_sequence(probe):
        if len(shape) == MAX_DIMS:
            raise ArgumentError(f"tensor: expected at most {MAX_DIMS} sequences, one in another; got more, or a circle")
        shape += (len(probe),)
        probe = _as_array(probe[0]) if len(probe) else None
    if isinstance(probe, np.ndarray):
        shape += probe.shape
    flat: list[Number] = []
    kinds: set[type | DType] = set()
    _flatten(data, shape, (), flat, kinds)
    found = [kind if isinstance(kind, DType) else scalar_dtype(kind) for kind in kinds]
    dtype = wanted or (reduce(promote_types, found) if found else get_default_dtype())
    through = dtype.numpy if dtype is uint64 else (np.bool_, np.int64, np.float64, np.complex128)[dtype.category]
    exact = all([kind.category <= dtype.category for kind in found]) and (dtype.category != INTEGER or dtype is int64)
    try:
        array = np.array(flat, through) if exact else None
    except OverflowError:
        array = None
    if array is None:
        array = np.array([number_for(element, dtype, "tensor", "each element") for element in flat], through)
    return from_array(array.reshape(shape), dtype, device)


def _flatten(
    data: Any, shape: tuple[int, ...], where: tuple[int, ...], into: list[Number], kinds: set[type | DType]
) -> None:
    """Collect the numbers of nested sequences, and their types or dtypes, checking lengths."""
    if type(data) in SCALAR_CATEGORY and not shape:
        kinds.add(type(data))
        into.append(data)
        return
    data = _as_array(data)
    if isinstance(data, np.ndarray) and data.ndim:
        if data.shape != shape:
            raise ArgumentError(f"tensor: expected shape {shape} at index {list(where)}; got an array of {data.shape}")
        kinds.add(dtype_of_numpy(data.dtype))
        into.extend(data.ravel().tolist())
    elif is_sequence(data):
        if not shape or len(data) != shape[0]:
            expected = f"length {shape[0]}" if shape else "a number"
            raise ArgumentError(
                f"tensor: expected {expected} at index {list(where)}; got a sequence of length {len(data)}"
            )
        own = set(map(type, data)) if len(shape) == 1 else set()
        if own and own <= SCALAR_CATEGORY.keys():  # the usual case: only Python numbers
            kinds.update(own)
            into.extend(data)
            return
        for i, element in enumerate(data):
            _flatten(element, shape[1:], (*where, i), into, kinds)
    elif shape:
        raise ArgumentError(f"tensor: expected a sequence of length {shape[0]} at index {list(where)}; got {data!r}")
    elif isinstance(data, (Tensor, np.generic, np.ndarray)):
        if isinstance(data, Tensor) and data.numel() != 1:
            raise ArgumentError(
                f"tensor: only tensors of one element may stand in a list; got shape {tuple(data.shape)}; use stack"
            )
        kinds.add(data.dtype if isinstance(data, Tensor) else dtype_of_numpy(data.dtype))
        into.append(data.item())
    else:
        number = plain_number(data)
        if number is None:
            raise InvalidTypeError(
                f"tensor: expected numbers or sequences of them; got {type(data).__name__} {data!r:.60}"
                + (f" at index {list(where)}" if where else "")
            )
        kinds.add(type(number))
        into.append(number)


def as_tensor(data: Data, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
    """Convert `data` to a tensor that shares the memory of tensors and arrays (NumPy's, CUDA's) if dtype and device
    allow it.

    Arguments:
        data: a tensor, an array, a number or nested sequences of numbers.
        dtype: the dtype of the result; determined by `data` if None.
        device: the device of the result; that of `data`, or the default device, if None.
    """
    try:
        if isinstance(data, Tensor):
            return data.to(*[argument for argument in (dtype, device or other_default()) if argument is not None])
        if isinstance(data, np.ndarray) and data.flags.writeable:
            try:
                return as_tensor(from_numpy(data), dtype, device)
            except (TypeError, ValueError):
                pass
        if hasattr(data, "__cuda_array_interface__"):
            return as_tensor(shared_cuda_array(data), dtype, device)
        return tensor(data, dtype=dtype, device=device)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
@boundary
def new_tensor(
    self: Tensor,
    data: Data,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Return a tensor with a copy of `data`, by default with the dtype and the device of this tensor.

    Arguments:
        data: the elements, as for `tensor`.
        dtype: the dtype of the result; that of this tensor if None.
        device: the device of the result; that of this tensor if None.
        requires_grad: whether the result requires a gradient.

    >>> from facula_tensor import float64, ones
    >>> ones(1, dtype=float64).new_tensor([1, 2])
    tensor([1., 2.], dtype=facula.float64)
    """
    dtype, device = self.dtype if dtype is None else dtype, self.device if device is None else device
    return tensor(data, dtype=dtype, device=device, requires_grad=requires_grad)


def as_tensor_like(value: Operand, like: Tensor, operation: str = "copy_") -> Tensor:
    """Return `value` if it is a tensor; otherwise convert it to a tensor that can be copied into `like`."""
    if isinstance(value, Tensor):
        return value
    if plain_number(value) is None:
        return tensor(value, device=like.device)
    result = empty((), dtype=like.dtype, device=like.device)
    fill_snapshot(result, value, operation)
    return result


def from_array(array: np.ndarray, dtype: DType, device: Device) -> Tensor:
    """Return a new tensor with the elements of an array, cast to a dtype."""
    known = dtype_of_numpy(array.dtype)
    source = tensor_over(np.ascontiguousarray(array).reshape(array.shape))
    result = no_record_ops.clone(source) if known is dtype else no_record_ops.to(source, (dtype,))
    return result if device is cpu else no_record_ops.to_device(result, (device, False))
