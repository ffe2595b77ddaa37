"""New tensors: of one value, of a sequence, like another one. `_from_data.py` makes them from data."""

from __future__ import annotations

from typing import Any

import numpy as np

from facula_storage import Device, DType, Layout, contiguous, cpu, int64
from facula_storage import from_numpy as storage_from_numpy
from facula_storage.extend import INTEGER, dtype_of_numpy

from ._errors import ArgumentError, relabel
from ._fresh import filled, filler, fresh, layout_for, new_empty
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
from ._tensor import Tensor, layout_of_tensor, make, method

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
    result = new_empty(lengths, size, dtype, device)
    return result if requires_grad is False else finish(result, requires_grad)


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of one value; the dtype is the value's unless given.

    >>> full((2,), 7)
    tensor([7, 7])
    """
    try:
        if type(fill_value) is not float and type(fill_value) is not int:
            fill_value = as_number(
                fill_value.item() if isinstance(fill_value, Tensor) else fill_value, "full", "fill_value"
            )
        if dtype is None:
            dtype = scalar_dtype(type(fill_value))
        result = filled(layout_for("full", (size,), None, dtype, device), fill_value)
    except Exception as error:
        relabel(error, "full")
        raise
    return result if requires_grad is False else finish(result, requires_grad)


def zeros(
    *lengths: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of zeros.

    >>> zeros(2)
    tensor([0., 0.])
    """
    result = new_zeros(lengths, size, dtype, device)
    return result if requires_grad is False else finish(result, requires_grad)


def ones(*lengths: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones.

    >>> ones(2)
    tensor([1., 1.])
    """
    result = new_ones(lengths, size, dtype, device)
    return result if requires_grad is False else finish(result, requires_grad)


new_zeros, new_ones = filler("zeros", 0), filler("ones", 1)


def _like(name: str, input: Tensor, dtype: Any, device: Any) -> Layout:
    """The contiguous layout of a tensor like `input`."""
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}: expected input to be a Tensor; got {type(input).__name__} {input!r:.60}")
    layout = layout_of_tensor(input)
    if dtype is None and device is None and layout.is_contiguous:
        return layout
    return contiguous(
        layout.shape,
        layout.dtype if dtype is None else as_dtype(dtype, name),
        layout.device if device is None else Device(device),
    )


def _in_format(tensor: Tensor, memory_format: Any, requires_grad: bool) -> Tensor:
    return finish(tensor if memory_format is None else raw.in_format(tensor, memory_format), requires_grad)


def empty_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """An uninitialised tensor of the shape, dtype and device of `input`."""
    result = fresh(_like("empty_like", input, dtype, device))
    return result if memory_format is None and not requires_grad else _in_format(result, memory_format, requires_grad)


def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Zeros of the shape, dtype and device of `input`.

    >>> zeros_like(ones(2))
    tensor([0., 0.])
    """
    result = filled(_like("zeros_like", input, dtype, device), 0)
    return result if memory_format is None and not requires_grad else _in_format(result, memory_format, requires_grad)


def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Ones of the shape, dtype and device of `input`.

    >>> ones_like(zeros(2))
    tensor([1., 1.])
    """
    result = filled(_like("ones_like", input, dtype, device), 1)
    return result if memory_format is None and not requires_grad else _in_format(result, memory_format, requires_grad)


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
    if type(fill_value) is not float and type(fill_value) is not int:
        fill_value = as_number(
            fill_value.item() if isinstance(fill_value, Tensor) else fill_value, "full_like", "fill_value"
        )
    result = filled(_like("full_like", input, dtype, device), fill_value, "full_like")
    return result if memory_format is None and not requires_grad else _in_format(result, memory_format, requires_grad)


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
    made = (start, end, step, type(start), type(end), type(step), dtype, device)
    known = _known("arange", made)
    if known is not None:
        return finish(known, requires_grad)
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
    return finish(_keep("arange", made, from_array(values, dtype, _place(device))), requires_grad)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included. OverflowError where dtype cannot hold them.

    >>> linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    made = (start, end, steps, type(start), type(end), type(steps), dtype, device)
    known = _known("linspace", made)
    if known is not None:
        return finish(known, requires_grad)
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
    return finish(_keep("linspace", made, from_array(values, dtype, _place(device))), requires_grad)


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
    made = (n, m, None, type(n), type(m), None, dtype, device)
    known = _known("eye", made)
    if known is not None:
        return finish(known, requires_grad)
    n = as_integer(n, "eye", "n")
    m = n if m is None else as_integer(m, "eye", "m")
    if n < 0 or m < 0:
        raise ArgumentError(f"eye: expected lengths of at least 0; got {n} and {m}")
    dtype = get_default_dtype() if dtype is None else as_dtype(dtype, "eye")
    return finish(_keep("eye", made, from_array(np.eye(n, m), dtype, _place(device))), requires_grad)


# Small tensors that programs make again and again of the same numbers are copied from the first one. The numbers' types
# are in the key, since 1, 1.0 and True are equal; so are 0.0 and -0.0, which are not kept.
MOST_KEPT, KEPT_BYTES = 256, 1 << 13
_kept: dict[tuple, Tensor] = {}
_NUMBERS = {int, float, type(None), None}


def _known(operation: str, made: tuple) -> Tensor | None:
    """A copy of what this operation made of these arguments before; None where it is not kept."""
    try:
        return raw.clone(_kept[operation, get_default_dtype(), made])
    except (KeyError, TypeError):
        return None


def _keep(operation: str, made: tuple, tensor: Tensor) -> Tensor:
    """Keep a copy of what was made of these arguments, if it is small and they are plain numbers. Gives `tensor`."""
    layout, dtype, device = tensor._layout, *made[6:]
    if (
        layout.nbytes <= KEPT_BYTES
        and layout.device is cpu
        and layout.dtype.numpy is not None
        and _NUMBERS.issuperset(made[3:6])
        and not any([type(one) is float and one == 0 for one in made[:3]])
        and (dtype is None or isinstance(dtype, DType))
        and device is None
    ):
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        storage, layout = storage_from_numpy(tensor.numpy().copy())  # NumPy's memory: no block is kept from others
        _kept[operation, get_default_dtype(), made] = make(Tensor, layout, storage)
    return tensor


def from_array(array: np.ndarray, dtype: DType, device: Device) -> Tensor:
    """A new tensor with an array's elements, cast."""
    known = dtype_of_numpy(array.dtype)
    storage, layout = storage_from_numpy(np.ascontiguousarray(array).reshape(array.shape))
    source = make(Tensor, layout, storage)
    result = raw.clone(source) if known is dtype else raw.to(source, (dtype,))
    return result if device is cpu else raw.to_device(result, (device,))


def _new(maker: Any, quick: Any) -> None:
    def new(
        self: Tensor,
        *lengths: Any,
        size: Any = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        layout = layout_of_tensor(self)
        result = quick(
            lengths,
            size,
            layout.dtype if dtype is None else dtype,
            (None if layout.device is cpu else layout.device) if device is None else device,
        )
        return result if requires_grad is False else finish(result, requires_grad)

    new.__doc__ = f"`{maker.__name__}` in the dtype and on the device of this tensor."
    method(f"new_{maker.__name__}")(new)


for _maker, _quick in ((empty, new_empty), (zeros, new_zeros), (ones, new_ones)):
    _new(_maker, _quick)


@method()
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`full` in the dtype and on the device of this tensor."""
    layout = layout_of_tensor(self)
    return full(
        size,
        fill_value,
        dtype=layout.dtype if dtype is None else dtype,
        device=layout.device if device is None else device,
        requires_grad=requires_grad,
    )
