"""New tensors: of one value, of a sequence, like another one. `_from_data.py` makes them from data."""

from __future__ import annotations

from typing import Any

import numpy as np

from facula_storage import (
    Device,
    DType,
    contiguous,
    cpu,
    int64,
)
from facula_storage import from_numpy as storage_from_numpy
from facula_storage.extend import INTEGER, allocate, dtype_of_numpy

from ._errors import ArgumentError, relabel
from ._operator import composite, raw, recording
from ._promotion import (
    as_dtype,
    as_integer,
    as_number,
    check_scalar,
    get_default_dtype,
    number_for,
    scalar_dtype,
)
from ._tensor import Tensor, make, method
from .ops.copying import fill
from .ops.shape import sizes

__all__ = [
    "arange",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def _place(device: Any) -> Device:
    return cpu if device is None else Device(device)


def finish(tensor: Tensor, requires_grad: bool) -> Tensor:
    """A new tensor, wanting a gradient or not."""
    return tensor if requires_grad is False else tensor.requires_grad_(requires_grad)


def empty(
    *lengths: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor whose elements are whatever was in memory.

    >>> empty(2, 3).shape
    facula.Size([2, 3])
    """
    try:
        shape = sizes("empty", lengths, size)
        if min(shape, default=0) < 0:
            raise ArgumentError(f"empty: expected lengths of at least 0; got {shape}")
        layout = contiguous(shape, get_default_dtype() if dtype is None else as_dtype(dtype, "empty"), _place(device))
        return finish(make(Tensor, layout, allocate(layout)), requires_grad)
    except Exception as error:  # said of `ones`, where that was called
        relabel(error, "empty")
        raise


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one value; the dtype is the value's unless given.

    >>> full((2,), 7)
    tensor([7, 7])
    """
    value = as_number(fill_value.item() if isinstance(fill_value, Tensor) else fill_value, "full", "fill_value")
    if dtype is None:
        dtype = scalar_dtype(type(value))
    result = empty(*sizes("full", (size,)), dtype=dtype, device=device)
    fill(result, value, "full")
    return finish(result, requires_grad)


def zeros(
    *lengths: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of zeros.

    >>> zeros(2)
    tensor([0., 0.])
    """
    result = empty(*lengths, size=size, dtype=dtype, device=device)
    fill(result, 0)
    return finish(result, requires_grad)


def ones(*lengths: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones.

    >>> ones(2)
    tensor([1., 1.])
    """
    result = empty(*lengths, size=size, dtype=dtype, device=device)
    fill(result, 1)
    return finish(result, requires_grad)


def _as(input: Tensor, dtype: Any, device: Any) -> dict[str, Any]:
    return {"dtype": input.dtype if dtype is None else dtype, "device": input.device if device is None else device}


def _like(name: str, input: Tensor, dtype: Any, device: Any) -> dict[str, Any]:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}: expected input to be a Tensor; got {type(input).__name__} {input!r:.60}")
    return {"size": tuple(input.shape), **_as(input, dtype, device)}


def _like_finish(tensor: Tensor, memory_format: Any, requires_grad: bool) -> Tensor:
    return finish(tensor if memory_format is None else raw.in_format(tensor, memory_format), requires_grad)


def empty_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """An uninitialised tensor of the shape, dtype and device of `input`."""
    return _like_finish(empty(**_like("empty_like", input, dtype, device)), memory_format, requires_grad)


def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Zeros of the shape, dtype and device of `input`.

    >>> zeros_like(ones(2))
    tensor([0., 0.])
    """
    return _like_finish(zeros(**_like("zeros_like", input, dtype, device)), memory_format, requires_grad)


def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Ones of the shape, dtype and device of `input`.

    >>> ones_like(zeros(2))
    tensor([1., 1.])
    """
    return _like_finish(ones(**_like("ones_like", input, dtype, device)), memory_format, requires_grad)


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
        full(fill_value=fill_value, **_like("full_like", input, dtype, device)), memory_format, requires_grad
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
    start, end, step = numbers = [_bound("arange", *one) for one in (("start", start), ("end", end), ("step", step))]
    for one in numbers:
        if isinstance(one, complex) or one - one != 0:
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
    if count >> 60:  # eight bytes each
        raise ArgumentError(f"arange: {count} numbers from {start} to {end} are more than memory can hold")
    if dtype.category == INTEGER and not integers:
        start, step = int(start), int(step)
    if count and dtype.category == INTEGER:
        for one in (start, start + (count - 1) * step):
            check_scalar(int(one), dtype, "arange")
    if integers:
        integers = max(abs(start), abs(end)) < 1 << 63
    values = start + np.arange(count, dtype=np.int64 if integers else np.float64) * step
    return finish(from_array(values, dtype, _place(device)), requires_grad)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included. OverflowError where dtype cannot hold them.

    >>> linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    ends = [_bound("linspace", name, one) for name, one in (("start", start), ("end", end))]
    if dtype is None:
        dtype = get_default_dtype()
        if any(isinstance(one, complex) for one in ends):
            dtype = dtype.to_complex()
    dtype = as_dtype(dtype, "linspace")
    steps = as_integer(steps, "linspace", "steps")
    if steps < 0:
        raise ArgumentError(f"linspace: expected steps of at least 0; got {steps}")
    if dtype.category == INTEGER:
        ends = [number_for(one, dtype, "linspace") for one in ends]
    first, last = ends
    step = (last - first) / (steps - 1) if steps > 1 else 0
    places = np.arange(steps)
    values = np.where(places < steps / 2, first + step * places, last - step * (steps - 1 - places))
    return finish(from_array(values, dtype, _place(device)), requires_grad)


def _bound(operation: str, name: str, value: Any) -> Any:
    """A bound, or a step, as a Python number."""
    if isinstance(value, Tensor):
        if value.ndim:
            raise ArgumentError(
                f"{operation}: expected {name} to be a number; got a tensor of shape {tuple(value.shape)}"
            )
        return value.item()
    return as_number(value, operation, name)


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A matrix with ones on the diagonal.

    >>> eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    n = as_integer(n, "eye", "n")
    m = n if m is None else as_integer(m, "eye", "m")
    if n < 0 or m < 0:
        raise ArgumentError(f"eye: expected lengths of at least 0; got {n} and {m}")
    dtype = get_default_dtype() if dtype is None else as_dtype(dtype, "eye")
    return finish(from_array(np.eye(n, m), dtype, _place(device)), requires_grad)


def from_array(array: np.ndarray, dtype: DType, device: Device) -> Tensor:
    """A new tensor with an array's elements, cast."""
    known = dtype_of_numpy(array.dtype)
    storage, layout = storage_from_numpy(np.ascontiguousarray(array).reshape(array.shape))
    source = make(Tensor, layout, storage)
    result = raw.clone(source) if known is dtype else raw.to(source, (dtype,))
    return result if device is cpu else raw.to_device(result, (device,))


def _new(maker: Any) -> None:
    def new(
        self: Tensor,
        *lengths: Any,
        size: Any = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        return finish(maker(*lengths, size=size, **_as(self, dtype, device)), requires_grad)

    new.__doc__ = f"`{maker.__name__}` in the dtype and on the device of this tensor."
    method(f"new_{maker.__name__}")(new)


for _maker in (empty, zeros, ones):
    _new(_maker)


@method()
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`full` in the dtype and on the device of this tensor."""
    return finish(full(size, fill_value, **_as(self, dtype, device)), requires_grad)
