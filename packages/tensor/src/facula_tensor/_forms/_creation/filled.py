"""The public functions of `_creation/filled.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.allocation import fresh, layout_for
from ..._core.promotion import scalar_dtype
from ..._creation.filled import finish, number_to_fill, with_memory_format, with_options
from ..._creation.filling import filled

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import DeviceLike, DTypeLike, Lengths, MemoryFormat, Operand


def empty(
    *lengths: Lengths,
    size: Lengths | None = None,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """lengths: the lengths, as numbers or as one sequence.
    size: the shape; another way to give `lengths`.
    dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(empty, locals())
        result = fresh(layout_for("empty", lengths, size, dtype, device))
        if memory_format is not None or requires_grad:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


def full(
    size: Lengths,
    fill_value: Operand,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(full, locals())
        kind = type(fill_value)
        if kind is not float and kind is not int:
            fill_value = number_to_fill(fill_value, "full")
            kind = type(fill_value)
        if dtype is None and kind is not float:
            dtype = scalar_dtype(kind)
        result = filled(layout_for("full", (size,), None, dtype, device), fill_value)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def zeros(
    *lengths: Lengths,
    size: Lengths | None = None,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """lengths: the lengths, as numbers or as one sequence.
    size: the shape; another way to give `lengths`.
    dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(zeros, locals())
        result = filled(layout_for("zeros", lengths, size, dtype, device), 0.0, "zeros")
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def ones(
    *lengths: Lengths,
    size: Lengths | None = None,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """lengths: the lengths, as numbers or as one sequence.
    size: the shape; another way to give `lengths`.
    dtype: the default floating dtype if None.
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(ones, locals())
        result = filled(layout_for("ones", lengths, size, dtype, device), 1.0, "ones")
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise
