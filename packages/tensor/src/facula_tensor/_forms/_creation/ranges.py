"""The public functions of `_creation/ranges.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._creation.filled import finish, with_options
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import DeviceLike, DTypeLike, Scalar

bodies = bodies_of("_creation.ranges")


def arange(
    start: Scalar | Tensor | None = None,
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
    """Return numbers from `start` (0 by default) to `end` (exclusive) at distances of `step`.

    ValueError if `step` is 0 or has the wrong sign.

    Arguments:
        start: the first number; a single argument is `end`.
        end: the bound, exclusive.
        step: the distance between numbers; may be negative.
        dtype: the dtype of the result; if None int64 for integers, otherwise the default floating dtype.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> arange(3)
    tensor([0, 1, 2])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(arange, locals())
        result = bodies.arange(start, end, step, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def linspace(
    start: Scalar | Tensor,
    end: Scalar | Tensor,
    steps: int,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return `steps` evenly spaced numbers from `start` to `end` (inclusive).

    OverflowError if the dtype cannot represent them.

    Arguments:
        start: the first number.
        end: the last number.
        steps: the number of elements.
        dtype: the dtype of the result; the default floating dtype, or the corresponding complex one, if None.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(linspace, locals())
        result = bodies.linspace(start, end, steps, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def eye(
    n: int,
    m: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Return a matrix with ones on the diagonal and zeros elsewhere.

    Arguments:
        n: the number of rows.
        m: the number of columns; `n` if None.
        dtype: the default floating dtype if None.
        layout, pin_memory: `strided` or None, and False; other values are not supported.
        device: the device of the result; the default device if None.
        requires_grad: whether the result requires a gradient.

    >>> eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(eye, locals())
        result = bodies.eye(n, m, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise
