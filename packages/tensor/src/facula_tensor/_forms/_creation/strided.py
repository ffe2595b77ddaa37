"""The public functions of `_creation/strided.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.formats import check_storage
from ..._core.tensor import method
from ..._creation.filled import finish, with_options
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import DeviceLike, DTypeLike, Lengths, Scalar

bodies = bodies_of("_creation.strided")


def empty_strided(
    size: Lengths,
    stride: Lengths,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return an uninitialised tensor with these strides.

    Arguments:
        size: the shape.
        stride: the strides, in elements; they must not be negative.
        dtype: the default floating dtype if None.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    try:
        if layout is not None or pin_memory:
            check_storage("empty_strided", layout, pin_memory)
        result = bodies.empty_strided(size, stride, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def new_empty_strided(
    self: Tensor,
    size: Lengths,
    stride: Lengths,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return an uninitialised tensor with these strides, and the dtype and the device of this tensor.

    Arguments:
        size: the shape.
        stride: the strides, in elements; they must not be negative.
        dtype: the dtype of the result; that of this tensor if None.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; that of this tensor if None.
        requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("new_empty_strided", layout, pin_memory)
        result = bodies.new_empty_strided(self, size, stride, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def empty_permuted(
    size: Lengths,
    physical_layout: Lengths,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return an uninitialised tensor without gaps, with its dimensions in memory in the order `physical_layout`.

    Arguments:
        size: the shape.
        physical_layout: the dimensions from the slowest to the fastest varying one.
        dtype: the default floating dtype if None.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> empty_permuted((2, 3, 4), (0, 2, 1)).stride()
    (12, 1, 3)
    """
    try:
        if layout is not None or pin_memory:
            check_storage("empty_permuted", layout, pin_memory)
        result = bodies.empty_permuted(size, physical_layout, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def scalar_tensor(
    s: Scalar,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a zero-dimensional tensor of one number, by default in the default floating dtype.

    Arguments:
        s: the number.
        dtype: the default floating dtype if None.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> scalar_tensor(3)
    tensor(3.)
    """
    try:
        if layout is not None or pin_memory:
            check_storage("scalar_tensor", layout, pin_memory)
        result = bodies.scalar_tensor(s, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def logspace(
    start: Scalar | Tensor,
    end: Scalar | Tensor,
    steps: int,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return `steps` numbers from base^start to base^end (inclusive), evenly spaced on a logarithmic scale.

    Arguments:
        start: the first exponent.
        end: the last exponent.
        steps: the number of elements.
        base: the base.
        dtype: the dtype of the result; the default floating dtype, or the corresponding complex one, if None.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(logspace, locals())
        result = bodies.logspace(start, end, steps, base, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def range(
    start: Scalar | Tensor = 0,
    end: Scalar | Tensor | None = None,
    step: Scalar | Tensor = 1,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return numbers from `start` to `end` (inclusive) at distances of `step`, in the default floating dtype.

    Deprecated: use `arange`, which excludes `end` as Python's `range` does.

    Arguments:
        start: the first number; a single argument is `end`.
        end: the bound, inclusive.
        step: the distance between numbers; may be negative.
        dtype: the default floating dtype if None.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(range, locals())
        result = bodies.range(start, end, step, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise
