"""The public functions of `_creation/strided.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.promotion import get_default_dtype
from ..._core.tensor import method
from ..._creation.filled import finish, full, with_options
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
    """dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(empty_strided, locals())
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
    """dtype: the dtype of the result; that of this tensor if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of this tensor if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(new_empty_strided, locals())
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
    """dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(empty_permuted, locals())
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
    """dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(scalar_tensor, locals())
        kind = get_default_dtype() if dtype is None else dtype
        result = full((), s, dtype=kind, device=device)
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
    """layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
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
    """dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
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
