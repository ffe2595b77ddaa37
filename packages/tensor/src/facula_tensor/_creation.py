"""New tensors: from data, of one value, of a sequence, over memory that is there."""

from __future__ import annotations

from typing import Any

import numpy as np

from facula_storage import (
    Device,
    DType,
    bool_,
    contiguous,
    cpu,
    int64,
)
from facula_storage import from_buffer as storage_from_buffer
from facula_storage import from_dlpack as storage_from_dlpack
from facula_storage import from_numpy as storage_from_numpy
from facula_storage.extend import INTEGER, allocate, dtype_of_numpy

from ._errors import ArgumentError, DTypeError
from ._operator import composite, raw, recording
from ._promotion import as_dtype, check_scalar, get_default_dtype, scalar_dtype
from ._tensor import Tensor, make, method
from .ops.copying import fill
from .ops.shape import sizes

__all__ = [
    "arange",
    "as_tensor",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "tensor",
    "zeros",
    "zeros_like",
]


def _place(device: Any) -> Device:
    return cpu if device is None else Device(device)


def _finish(tensor: Tensor, requires_grad: bool) -> Tensor:
    return tensor.requires_grad_() if requires_grad else tensor


def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose elements are whatever was in memory.

    >>> empty(2, 3).shape
    facula.Size([2, 3])
    """
    shape = sizes("empty", size)
    if min(shape, default=0) < 0:
        raise ArgumentError(f"empty: expected lengths of at least 0; got {shape}")
    layout = contiguous(shape, get_default_dtype() if dtype is None else as_dtype(dtype, "empty"), _place(device))
    return _finish(make(Tensor, layout, allocate(layout)), requires_grad)


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one value; the dtype is the value's unless given.

    >>> full((2,), 7)
    tensor([7, 7])
    """
    if dtype is None:
        dtype = scalar_dtype(type(fill_value)) if type(fill_value) in (bool, int, float, complex) else None
    result = empty(*sizes("full", (size,)), dtype=dtype, device=device)
    fill(result, fill_value)
    return _finish(result, requires_grad)


def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros.

    >>> zeros(2)
    tensor([0., 0.])
    """
    result = empty(*size, dtype=dtype, device=device)
    fill(result, 0)
    return _finish(result, requires_grad)


def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones.

    >>> ones(2)
    tensor([1., 1.])
    """
    result = empty(*size, dtype=dtype, device=device)
    fill(result, 1)
    return _finish(result, requires_grad)


def _like(input: Tensor, dtype: Any, device: Any) -> dict[str, Any]:
    if not isinstance(input, Tensor):
        raise TypeError(f"expected a Tensor to be like; got {type(input).__name__}")
    return {"dtype": input.dtype if dtype is None else dtype, "device": input.device if device is None else device}


def _like_finish(tensor: Tensor, memory_format: Any, requires_grad: bool) -> Tensor:
    return _finish(tensor if memory_format is None else raw.in_format(tensor, memory_format), requires_grad)


def empty_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """An uninitialised tensor of the shape, dtype and device of `input`."""
    return _like_finish(empty(tuple(input.shape), **_like(input, dtype, device)), memory_format, requires_grad)


def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Zeros of the shape, dtype and device of `input`.

    >>> zeros_like(ones(2))
    tensor([0., 0.])
    """
    return _like_finish(zeros(tuple(input.shape), **_like(input, dtype, device)), memory_format, requires_grad)


def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Ones of the shape, dtype and device of `input`.

    >>> ones_like(zeros(2))
    tensor([1., 1.])
    """
    return _like_finish(ones(tuple(input.shape), **_like(input, dtype, device)), memory_format, requires_grad)


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of one value, of the shape, dtype and device of `input`.

    >>> full_like(zeros(2), 3)
    tensor([3., 3.])
    """
    return _like_finish(
        full(tuple(input.shape), fill_value, **_like(input, dtype, device)), memory_format, requires_grad
    )


@composite
def zeros_like_(F: Any, like: Tensor) -> Tensor:
    """Zeros, as rules call it."""
    return zeros_like(like)


@composite
def ones_like_(F: Any, like: Tensor) -> Tensor:
    """Ones, as rules call it."""
    return ones_like(like)


for _F in (raw, recording):
    _F.zeros_like, _F.ones_like = _F.zeros_like_, _F.ones_like_


def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """The numbers from `start` (0 where one argument is given) to before `end`, `step` apart.

    int64 if all are integers, else the default floating dtype. ValueError where step is 0 or leads away from end.

    >>> arange(3)
    tensor([0, 1, 2])
    """
    if end is None:
        start, end = 0, start
    start, end, step = numbers = [one.item() if isinstance(one, Tensor) else one for one in (start, end, step)]
    for one in numbers:
        if isinstance(one, complex) or not -float("inf") < one < float("inf"):
            raise ArgumentError(f"arange: expected finite real numbers; got {one}")
    if dtype is None:
        dtype = get_default_dtype() if any(isinstance(one, float) for one in numbers) else int64
    dtype = as_dtype(dtype, "arange")
    if dtype is int64:
        start, end, step = int(start), int(end), int(step)
    if step == 0 or (end - start) * step < 0:
        raise ArgumentError(f"arange: from {start} to {end} in steps of {step} leads nowhere; step must lead to end")
    integers = all(isinstance(one, int) for one in (start, end, step))
    count = -((start - end) // step) if integers else int(np.ceil((end - start) / step))
    if dtype.category == INTEGER and not integers:
        start, step = int(start), int(step)
    values = start + np.arange(count, dtype=np.int64 if integers else np.float64) * step
    return _finish(_from_array(values, dtype, _place(device)), requires_grad)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included.

    >>> linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    ends = [_end("linspace", name, one) for name, one in (("start", start), ("end", end))]
    if dtype is None:
        dtype = get_default_dtype()
        if any(isinstance(one, complex) for one in ends):
            dtype = dtype.to_complex()
    dtype = as_dtype(dtype, "linspace")
    if not hasattr(steps, "__index__"):
        raise TypeError(f"linspace: expected steps to be an integer; got {steps!r}")
    if steps < 0:
        raise ArgumentError(f"linspace: expected steps of at least 0; got {steps}")
    if dtype.category == INTEGER:
        ends = [int(one) for one in ends]
    first, last = ends
    step = (last - first) / (steps - 1) if steps > 1 else 0
    places = np.arange(steps)
    values = np.where(places < steps / 2, first + step * places, last - step * (steps - 1 - places))
    return _finish(_from_array(values, dtype, _place(device)), requires_grad)


def _end(operation: str, name: str, value: Any) -> Any:
    """A bound as a Python number."""
    if isinstance(value, Tensor):
        if value.ndim:
            raise ArgumentError(
                f"{operation}: expected {name} to be a number; got a tensor of shape {tuple(value.shape)}"
            )
        return value.item()
    return value


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A matrix with ones on the diagonal.

    >>> eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    if n < 0 or (m is not None and m < 0):
        raise ArgumentError(f"eye: expected lengths of at least 0; got {n} and {m}")
    dtype = get_default_dtype() if dtype is None else as_dtype(dtype, "eye")
    return _finish(_from_array(np.eye(n, m), dtype, _place(device)), requires_grad)


def _from_array(array: np.ndarray, dtype: DType, device: Device) -> Tensor:
    """A new tensor with an array's elements, cast."""
    known = dtype_of_numpy(array.dtype)
    storage, layout = storage_from_numpy(np.ascontiguousarray(array).reshape(array.shape))
    source = make(Tensor, layout, storage)
    result = raw.clone(source) if known is dtype else raw.to(source, (dtype,))
    return result if device is cpu else raw.to_device(result, (device,))


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of `data`: a number, nested sequences of numbers, an array, or a tensor.

    Without `dtype`: bool, int64, the default floating dtype or its complex one, by what the numbers are; arrays
    and tensors keep theirs. ValueError where nested sequences are not equally long, naming where.

    >>> tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    wanted = None if dtype is None else as_dtype(dtype, "tensor")
    place = None if device is None else Device(device)
    if isinstance(data, Tensor):
        result = raw.clone(data) if wanted in (None, data.dtype) else raw.to(data, (wanted,))
        if place is not None and place is not data.device:
            result = raw.to_device(result, (place,))
        return _finish(result, requires_grad)
    if isinstance(data, np.generic) or isinstance(data, np.ndarray):
        array = np.asarray(data)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        if array.dtype == np.uint16 or array.dtype.kind not in "biufc" or array.dtype.itemsize > 16:
            dtype_of_numpy(array.dtype)  # says why not
        return _finish(_from_array(array, wanted or dtype_of_numpy(array.dtype), place or cpu), requires_grad)
    if hasattr(data, "__dlpack__") and not isinstance(data, (list, tuple)):
        return tensor(from_dlpack(data), dtype=dtype, device=device, requires_grad=requires_grad)
    return _finish(_from_sequence(data, wanted, place or cpu), requires_grad)


def _from_sequence(data: Any, wanted: DType | None, device: Device) -> Tensor:
    shape, kinds = [], set()
    probe = data
    while isinstance(probe, (list, tuple, range)):
        shape.append(len(probe))
        probe = probe[0] if len(probe) else None
        if probe is None:
            break
    flat: list[Any] = []
    _flatten(data, tuple(shape), (), flat)
    for one in flat:
        kinds.add(type(one))
    inferred = bool_
    for kind in kinds:
        candidate = scalar_dtype(kind)
        if candidate.category > inferred.category:
            inferred = candidate
    if not flat:
        inferred = get_default_dtype()
    dtype = wanted or inferred
    for one in flat:
        if isinstance(one, complex) and dtype.category < 3:
            raise DTypeError(f"tensor: {one} is complex and cannot be stored in {dtype.name}")
        if type(one) is int and dtype.category == 1:
            check_scalar(one, dtype, "tensor")
    through = {0: np.bool_, 1: np.int64, 2: np.float64, 3: np.complex128}
    category = dtype.category if not (dtype.category == 1 and any(isinstance(one, float) for one in flat)) else 2
    return _from_array(np.array(flat, dtype=through[category]).reshape(shape), dtype, device)


def _flatten(data: Any, shape: tuple[int, ...], where: tuple[int, ...], into: list) -> None:
    """Collect the numbers of nested sequences, checking lengths."""
    if not isinstance(data, (list, tuple, range)):
        if shape:
            raise ArgumentError(
                f"tensor: expected a sequence of length {shape[0]} at index {list(where)}; got {data!r}"
            )
        if isinstance(data, Tensor):
            if data.numel() != 1:
                raise ArgumentError(
                    f"tensor: only tensors of one element may stand in a list; got shape {tuple(data.shape)}; use stack"
                )
            data = data.item()
        elif isinstance(data, (np.generic, np.ndarray)):
            data = data.item()
        if type(data) not in (bool, int, float, complex):
            if not isinstance(data, (int, float, complex)):
                raise TypeError(
                    f"tensor: expected numbers or sequences of them; got {type(data).__name__} at index {list(where)}"
                )
            data = float(data) if isinstance(data, float) else int(data) if isinstance(data, int) else complex(data)
        into.append(data)
        return
    if not shape or len(data) != shape[0]:
        expected = f"length {shape[0]}" if shape else "a number"
        raise ArgumentError(f"tensor: expected {expected} at index {list(where)}; got a sequence of length {len(data)}")
    for i, one in enumerate(data):
        _flatten(one, shape[1:], (*where, i), into)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`data` as a tensor, sharing memory with tensors and NumPy arrays where dtype and device allow it."""
    if isinstance(data, Tensor):
        return data.to(*[one for one in (dtype, device) if one is not None])
    if isinstance(data, np.ndarray) and data.flags.writeable:
        try:
            return from_numpy(data).to(*[one for one in (dtype, device) if one is not None])
        except (TypeError, ValueError):
            pass
    return tensor(data, dtype=dtype, device=device)


def as_tensor_like(value: Any, like: Tensor) -> Tensor:
    """`value` itself if it is a tensor, else a tensor of it that can be copied into `like`."""
    if isinstance(value, Tensor):
        return value
    if type(value) in (bool, int, float, complex):
        category = like.dtype.category
        if isinstance(value, complex) and category < 3:
            raise DTypeError(f"{value} is complex and cannot be stored in a {like.dtype.name} tensor")
        if type(value) is int and category == 1:
            check_scalar(value, like.dtype, "fill")
        result = empty((), dtype=like.dtype, device=like.device)
        fill(result, (bool, int, float, complex)[category](value))
        return result
    return tensor(value, device=like.device)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor over the memory of a NumPy array: no copy, writing to one shows in the other.

    A read-only array gives a read-only tensor. Other byte orders, structured types, unaligned elements and negative
    strides are refused by name.

    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> from_numpy(a)[0] = 5
    >>> a
    array([5., 0.])
    """
    storage, layout = storage_from_numpy(array)
    return make(Tensor, layout, storage)


def from_dlpack(source: Any) -> Tensor:
    """A tensor over another library's array, through DLPack: no copy.

    >>> import numpy as np
    >>> from_dlpack(np.arange(2))
    tensor([0, 1])
    """
    if isinstance(source, Tensor):
        return source.detach()
    storage, layout = storage_from_dlpack(source)
    return make(Tensor, layout, storage)


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A one-dimensional tensor over any object with the buffer protocol: no copy. `offset` is in bytes.

    >>> from facula_storage import uint8
    >>> frombuffer(bytearray(b"ab"), dtype=uint8)
    tensor([97, 98], dtype=facula.uint8)
    """
    storage, layout = storage_from_buffer(buffer, as_dtype(dtype, "frombuffer"), count, offset)
    return _finish(make(Tensor, layout, storage), requires_grad)


def _new(name: str, maker: Any) -> None:
    def new(self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        return _finish(maker(*size, **_like(self, dtype, device)), requires_grad)

    new.__name__ = new.__qualname__ = name
    new.__doc__ = f"`{maker.__name__}` in the dtype and on the device of this tensor."
    method(name)(new)


for _name, _maker in {"new_empty": empty, "new_zeros": zeros, "new_ones": ones, "new_full": full}.items():
    _new(_name, _maker)
