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
    """layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
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
    """layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
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
    """dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(eye, locals())
        result = bodies.eye(n, m, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise
