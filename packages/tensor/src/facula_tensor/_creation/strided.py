"""Further creation functions: tensors with given strides, from any object, from files, and of spaced numbers."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import ArgumentError, InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary
from facula_storage import bool_, contiguous, layout_of, meta
from facula_storage.extend.layouts import COMPLEX, INTEGER
from facula_storage.extend.memory import allocate

from .._core.allocation import place_of
from .._core.default_device import other_default
from .._core.errors import relabel
from .._core.formats import check_storage
from .._core.promotion import as_dtype, as_end, as_integer, as_number, get_default_dtype, number_for
from .._core.sizes import sizes
from .._core.tensor import Tensor, check_dim, layout_of_tensor, make
from .._dispatch.written import maker
from .bits import reinterpreted
from .filled import empty, finish, full
from .from_data import from_array, tensor
from .from_memory import from_dlpack, from_numpy, frombuffer, shared_cuda_array

if TYPE_CHECKING:
    from .._core.types import DeviceLike, DTypeLike, Lengths, Scalar


def _strided(name: str, size: Lengths, stride: Lengths, dtype: DTypeLike | None, device: DeviceLike | None) -> Tensor:
    """Return an uninitialised tensor with enough memory for its size and strides."""
    shape, strides = sizes(name, (size,)), sizes(name, (stride,))
    if len(shape) != len(strides) or min((*shape, *strides), default=0) < 0:
        raise ArgumentError(f"{name}: expected as many strides as lengths, none negative; got {shape} and {strides}")
    kind = get_default_dtype() if dtype is None else as_dtype(dtype, name)
    try:
        layout = layout_of(shape, strides, kind, place_of(device))
        room = contiguous((layout.extent // kind.itemsize,), kind, layout.device)
        return make(Tensor, layout, allocate(room))
    except Exception as error:
        relabel(error, name)
        raise


@maker(out=False)
def empty_strided(
    size: Lengths,
    stride: Lengths,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return an uninitialised tensor with these strides.

    Arguments:
        size: the shape.
        stride: the strides, in elements; they must not be negative.

    >>> empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    return _strided("empty_strided", size, stride, dtype, device)


@maker("own", method=True, public=False)
def new_empty_strided(
    self: Tensor,
    size: Lengths,
    stride: Lengths,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return an uninitialised tensor with these strides, and the dtype and the device of this tensor.

    Arguments:
        size: the shape.
        stride: the strides, in elements; they must not be negative.
    """
    own = layout_of_tensor(self)
    kind, place = own.dtype if dtype is None else dtype, own.device if device is None else device
    return _strided("new_empty_strided", size, stride, kind, place)


@maker(out=False)
def empty_permuted(
    size: Lengths,
    physical_layout: Lengths,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return an uninitialised tensor without gaps, with its dimensions in memory in the order `physical_layout`.

    Arguments:
        size: the shape.
        physical_layout: the dimensions from the slowest to the fastest varying one.

    >>> empty_permuted((2, 3, 4), (0, 2, 1)).stride()
    (12, 1, 3)
    """
    shape = sizes("empty_permuted", (size,))
    order = [check_dim("empty_permuted", dim, len(shape)) for dim in sizes("empty_permuted", (physical_layout,))]
    if sorted(order) != list(_indices(len(shape))):
        raise ArgumentError(
            f"empty_permuted: expected physical_layout to name each of {len(shape)} dimension(s) once; got {order}"
        )
    made = empty([shape[i] for i in order], dtype=dtype, device=device)
    return made.permute([order.index(i) for i in _indices(len(shape))]).detach()


@maker(out=False)
def scalar_tensor(
    s: Scalar,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return a zero-dimensional tensor of one number, by default in the default floating dtype.

    Arguments:
        s: the number.

    >>> scalar_tensor(3)
    tensor(3.)
    """
    kind = get_default_dtype() if dtype is None else dtype
    return full((), s, dtype=kind, device=device)


@boundary
def asarray(
    obj: Any,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """Convert an object to a tensor, without a copy if possible.

    The result can share the memory of tensors, storages, arrays, and objects with DLPack or the buffer protocol. Other
    data, such as numbers and sequences, are always copied.

    Arguments:
        obj: the data.
        dtype: the dtype of the result; that of the data if None.
        device: the device of the result; if None that of the data, or the default device if that is not the CPU.
        copy: True always copies, False never; None copies only if necessary.
        requires_grad: whether the result requires a gradient; as `obj` if None.

    Raises:
        ValueError: if `copy` is False and a copy would be necessary.

    >>> import numpy as np
    >>> array = np.zeros(2)
    >>> asarray(array)[0] = 1
    >>> array
    array([1., 0.])
    """
    if requires_grad is None:
        requires_grad = isinstance(obj, Tensor) and obj.requires_grad
    if isinstance(obj, Tensor):
        shared: Tensor | None = obj if requires_grad and obj.requires_grad else obj.detach()
    elif isinstance(obj, np.ndarray):
        shared = from_numpy(obj) if _readable(obj) else None
    elif isinstance(getattr(obj, "_bytes", None), Tensor):  # a storage: its bytes
        shared = obj._bytes
    elif not isinstance(obj, np.generic) and hasattr(obj, "__dlpack__"):
        shared = from_dlpack(obj)
    elif hasattr(obj, "__cuda_array_interface__"):
        shared = shared_cuda_array(obj)
    elif isinstance(obj, (bytes, bytearray, memoryview)):
        shared = frombuffer(obj, dtype=get_default_dtype() if dtype is None else dtype)
    else:
        shared = None
    if shared is None:
        if copy is False:
            raise ArgumentError(f"asarray: expected what can be shared, since copy=False; got {type(obj).__name__}")
        return tensor(obj, dtype=dtype, device=device, requires_grad=requires_grad)
    place = other_default() if device is None else device
    moved = shared.to(*[argument for argument in (dtype, place) if argument is not None])
    if moved is not shared and copy is False:
        raise ArgumentError(
            f"asarray: expected {shared.dtype.name} on '{shared.device}', since copy=False; got "
            f"{moved.dtype.name} on '{moved.device}'"
        )
    result = moved.clone() if copy and moved is shared else moved
    if requires_grad is not False and (result.node is None or requires_grad is not True):
        result = result if result is not obj else result.detach()
        return finish(result, requires_grad)
    return result


def _readable(array: np.ndarray) -> bool:
    """Return whether a tensor can share the memory of an array."""
    try:
        from_numpy(array)
    except (TypeError, ValueError):
        return False
    return True


@boundary
def from_file(
    filename: str,
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    pin_memory: bool = False,
) -> Tensor:
    """Map a file into memory as a tensor of `size` elements; bytes are read on first access.

    With `shared`, changes are written to the file, which is created or extended if necessary. Otherwise changes remain
    private to the process.

    Arguments:
        filename: the path of the file.
        shared: whether to write changes to the file.
        size: the number of elements.
        dtype: the dtype of the elements; the default floating dtype if None.
        layout: `strided`, the only supported layout, or None.
        device: the CPU, or None.
        pin_memory: whether to copy the elements to pinned memory.

    Raises:
        ValueError: if `shared` is false and the file has too few elements.
    """
    check_storage("from_file", layout, pin_memory)
    kind = get_default_dtype() if dtype is None else as_dtype(dtype, "from_file")
    count = as_integer(size, "from_file", "size")
    if count < 0:
        raise ArgumentError(f"from_file: expected size of at least 0; got {count}")
    if device is not None and place_of(device).type != "cpu":
        raise UnsupportedError(f"from_file: files are mapped into host memory alone; got device '{device}'")
    if not isinstance(filename, (str, bytes, os.PathLike)):
        raise InvalidTypeError(f"from_file: expected filename to be a path; got {type(filename).__name__}")
    path = os.fspath(filename)
    needed = count * kind.itemsize
    if shared:
        with open(path, "ab") as file:
            if file.tell() < needed:
                file.truncate(needed)
    found = os.path.getsize(path)
    if found < needed:
        raise ArgumentError(f"from_file: expected {needed} bytes for {count} of {kind.name}; {path!r} has {found}")
    if not count:
        return empty(0, dtype=kind, device="cpu")
    mapped = np.memmap(path, np.uint8, "r+" if shared else "c", shape=(needed,))
    result = reinterpreted(from_numpy(np.asarray(mapped)), kind)
    return result.pin_memory() if pin_memory else result


# ------------------------------------------------------------------------------------------------ spaced numbers
_indices = range  # `range` is redefined below, as in PyTorch


@maker()
def logspace(
    start: Scalar | Tensor,
    end: Scalar | Tensor,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return `steps` numbers from base^start to base^end (inclusive), evenly spaced on a logarithmic scale.

    Arguments:
        start: the first exponent.
        end: the last exponent.
        steps: the number of elements.
        base: the base.
        dtype: the dtype of the result; the default floating dtype, or the corresponding complex one, if None.

    >>> logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    numbers = [as_end(argument, "logspace", name) for name, argument in (("start", start), ("end", end))]
    root = as_number(base, "logspace", "base")
    kind = get_default_dtype() if dtype is None else as_dtype(dtype, "logspace")
    is_complex = any([isinstance(number, complex) for number in (*numbers, root)])
    if is_complex and dtype is None:
        kind = kind.to_complex()
    count = as_integer(steps, "logspace", "steps")
    if count < 0:
        raise ArgumentError(f"logspace: expected steps of at least 0; got {count}")
    if kind.category == INTEGER:
        numbers = [int(number_for(number, kind, "logspace")) for number in numbers]
    if place_of(device) is meta:
        return empty(count, dtype=kind, device=meta)
    exponents = np.linspace(
        numbers[0], numbers[1], count, dtype=np.complex128 if kind.category == COMPLEX else np.float64
    )
    with np.errstate(all="ignore"):
        values = (np.complex128(root) if kind.category == COMPLEX else np.float64(root)) ** exponents
    return from_array(values, kind, place_of(device))


@maker()
def range(
    start: Scalar | Tensor = 0,
    end: Scalar | Tensor | None = None,
    step: Scalar | Tensor = 1,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return numbers from `start` to `end` (inclusive) at distances of `step`, in the default floating dtype.

    Deprecated: use `arange`, which excludes `end` as Python's `range` does.

    Arguments:
        start: the first number; a single argument is `end`.
        end: the bound, inclusive.
        step: the distance between numbers; may be negative.
    """
    warnings.warn("range: deprecated; arange stops before end, as Python's range does", UserWarning, stacklevel=3)
    if end is None:
        start, end = 0, start
    first, last, by = (
        as_number(argument, "range", name) for name, argument in (("start", start), ("end", end), ("step", step))
    )
    if any([isinstance(end_, complex) or end_ - end_ != 0 for end_ in (first, last, by)]):
        raise ArgumentError(f"range: expected finite real numbers; got {first}, {last}, {by}")
    if by == 0 or (last - first) * by < 0:
        raise ArgumentError(
            f"range: from {first} to {last} in steps of {by} never reaches end; step must lead from start to end"
        )
    count = int((last - first) / by + 1)
    kind = get_default_dtype() if dtype is None else as_dtype(dtype, "range")
    if kind is bool_:
        raise InvalidTypeError("range: expected dtype to be of numbers; got bool")
    if place_of(device) is meta:
        return empty(count, dtype=kind, device=meta)
    return from_array(first + by * np.arange(count), kind, place_of(device))
