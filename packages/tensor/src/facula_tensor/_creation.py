"""New tensors: of one value, of a sequence, like another one. `_from_data.py` makes them from data."""

from __future__ import annotations

from typing import Any

import numpy as np

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Device, DType, Layout, contiguous, cpu
from facula_storage import from_numpy as storage_from_numpy
from facula_storage.extend import dtype_of_numpy

from ._errors import relabel
from ._fresh import filled, filler, fresh, layout_for, new_empty, place_of
from ._operator import composite, raw, recording
from ._promotion import (
    as_dtype,
    as_number,
    scalar_dtype,
)
from ._tensor import Tensor, layout_of_tensor, make, method
from .ops.copying import give
from .ops.formats import check_storage

__all__ = [
    "empty",
    "empty_like",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def finish(tensor: Tensor, requires_grad: bool) -> Tensor:
    """A new tensor, wanting a gradient or not."""
    return tensor if requires_grad is False else tensor.requires_grad_(requires_grad)


# Note [Options of creation]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~
# Every function that makes tensors takes PyTorch's options. Of these `out`, `layout` and `pin_memory` are rare: where
# one is given, `with_options` looks at them and calls the function again without them.
def with_options(maker: Any, arguments: tuple, out: Any, layout: Any, pin_memory: Any, **options: Any) -> Tensor:
    """What `maker` makes, in `out` where that is given; see Note [Options of creation]."""
    name = maker.__name__
    check_storage(name, layout, pin_memory)
    if out is None:
        return maker(*arguments, **options)
    if not isinstance(out, Tensor):
        raise InvalidTypeError(f"{name}: expected out to be a Tensor; got {type(out).__name__}")
    requires_grad = options.pop("requires_grad", False)
    options["dtype"] = out.dtype if options["dtype"] is None else options["dtype"]
    options["device"] = out.device if options["device"] is None else options["device"]
    return finish(give(name, maker(*arguments, **options), out), requires_grad)


def empty(
    *lengths: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor whose elements are whatever was in memory. `memory_format` orders them.

    >>> empty(2, 3).shape
    facula.Size([2, 3])
    """
    try:
        if out is not None or layout is not None or pin_memory or memory_format is not None:
            result = with_options(
                empty,
                lengths,
                out,
                layout,
                pin_memory,
                size=size,
                dtype=dtype,
                device=device,
                requires_grad=requires_grad,
            )
            return result if memory_format is None else finish(raw.in_format(result, memory_format), requires_grad)
        result = new_empty(lengths, size, dtype, device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def full(
    size: Any,
    fill_value: Any,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of one value; the dtype is the value's unless given.

    >>> full((2,), 7)
    tensor([7, 7])
    """
    if out is not None or layout is not None or pin_memory:
        options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
        return with_options(full, (size, fill_value), out, layout, pin_memory, **options)
    try:
        if type(fill_value) is not float and type(fill_value) is not int:
            fill_value = _number(fill_value, "full")
        if dtype is None:
            dtype = scalar_dtype(type(fill_value))
        result = filled(layout_for("full", (size,), None, dtype, device), fill_value)
    except Exception as error:
        relabel(error, "full")
        raise
    return result if requires_grad is False else finish(result, requires_grad)


def _number(value: Any, operation: str) -> Any:
    """What to fill with, as a Python number."""
    if isinstance(value, Tensor) and not value.ndim:
        value = value.item()
    return as_number(value, operation, "fill_value")


def zeros(
    *lengths: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of zeros.

    >>> zeros(2)
    tensor([0., 0.])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
            return with_options(zeros, lengths, out, layout, pin_memory, size=size, **options)
        result = new_zeros(lengths, size, dtype, device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def ones(
    *lengths: Any,
    size: Any = None,
    out: Tensor | None = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of ones.

    >>> ones(2)
    tensor([1., 1.])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
            return with_options(ones, lengths, out, layout, pin_memory, size=size, **options)
        result = new_ones(lengths, size, dtype, device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


new_zeros, new_ones = filler("zeros", 0), filler("ones", 1)


def _like(name: str, input: Tensor, dtype: Any, device: Any) -> Layout:
    """The contiguous layout of a tensor like `input`."""
    if not isinstance(input, Tensor):
        raise InvalidTypeError(f"{name}: expected input to be a Tensor; got {type(input).__name__} {input!r:.60}")
    layout = layout_of_tensor(input)
    if dtype is None and device is None and layout.is_contiguous:
        return layout
    try:
        return contiguous(
            layout.shape,
            layout.dtype if dtype is None else as_dtype(dtype, name),
            layout.device if device is None else place_of(device),
        )
    except Exception as error:
        relabel(error, name)
        raise


def _in_format(tensor: Tensor, memory_format: Any, requires_grad: bool) -> Tensor:
    return finish(tensor if memory_format is None else raw.in_format(tensor, memory_format), requires_grad)


def empty_like(
    input: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """An uninitialised tensor of the shape, dtype and device of `input`."""
    try:
        if layout is not None or pin_memory:
            check_storage("empty_like", layout, pin_memory)
        result = fresh(_like("empty_like", input, dtype, device), "empty_like")
        return (
            result if memory_format is None and not requires_grad else _in_format(result, memory_format, requires_grad)
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def zeros_like(
    input: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Zeros of the shape, dtype and device of `input`.

    >>> zeros_like(ones(2))
    tensor([0., 0.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("zeros_like", layout, pin_memory)
        result = filled(_like("zeros_like", input, dtype, device), 0, "zeros_like")
        return (
            result if memory_format is None and not requires_grad else _in_format(result, memory_format, requires_grad)
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def ones_like(
    input: Tensor,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Ones of the shape, dtype and device of `input`.

    >>> ones_like(zeros(2))
    tensor([1., 1.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("ones_like", layout, pin_memory)
        result = filled(_like("ones_like", input, dtype, device), 1, "ones_like")
        return (
            result if memory_format is None and not requires_grad else _in_format(result, memory_format, requires_grad)
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of one value, of the shape, dtype and device of `input`.

    >>> full_like(zeros(2), 3)
    tensor([3., 3.])
    """
    if layout is not None or pin_memory:
        check_storage("full_like", layout, pin_memory)
    if type(fill_value) is not float and type(fill_value) is not int:
        fill_value = _number(fill_value, "full_like")
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
        layout: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
    ) -> Tensor:
        if layout is not None or pin_memory:
            check_storage(f"new_{maker.__name__}", layout, pin_memory)
        own = layout_of_tensor(self)
        result = quick(
            lengths,
            size,
            own.dtype if dtype is None else dtype,
            (None if own.device is cpu else own.device) if device is None else device,
        )
        return result if requires_grad is False else finish(result, requires_grad)

    new.__doc__ = f"`{maker.__name__}` in the dtype and on the device of this tensor."
    method(f"new_{maker.__name__}")(new)


for _maker, _quick in ((empty, new_empty), (zeros, new_zeros), (ones, new_ones)):
    _new(_maker, _quick)


@method()
@boundary
def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """`full` in the dtype and on the device of this tensor."""
    if layout is not None or pin_memory:
        check_storage("new_full", layout, pin_memory)
    own = layout_of_tensor(self)
    return full(
        size,
        fill_value,
        dtype=own.dtype if dtype is None else dtype,
        device=own.device if device is None else device,
        requires_grad=requires_grad,
    )
