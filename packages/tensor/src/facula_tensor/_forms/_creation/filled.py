"""The public functions of `_creation/filled.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import cpu

from ..._core.allocation import fresh, layout_for
from ..._core.default_device import other_defaults
from ..._core.promotion import scalar_dtype
from ..._core.tensor import layout_of_tensor, method
from ..._core.wrapped import batched_as
from ..._creation.batches import open_batches
from ..._creation.filled import finish, layout_like, number_to_fill, with_memory_format, with_options
from ..._creation.filling import filled
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import DeviceLike, DTypeLike, Lengths, MemoryFormat, Operand

bodies = bodies_of("_creation.filled")


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
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(empty, locals())
        result = fresh(layout_for("empty", lengths, size, dtype, device), "empty")
        if memory_format is not None or requires_grad is not False:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


def empty_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(empty_like, locals())
        result = fresh(layout_like("empty_like", input, dtype, device), "empty_like")
        result = batched_as(result, input) if open_batches else result
        if memory_format is not None or requires_grad is not False:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def new_empty(
    self: Tensor,
    *lengths: Lengths,
    size: Lengths | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """lengths: the lengths, as numbers or as one sequence.
    size: the shape; another way to give `lengths`.
    dtype: the dtype of the result; that of this tensor if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of this tensor if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(new_empty, locals())
        own = layout_of_tensor(self)
        if dtype is None:
            dtype = own.dtype
        if device is None and (own.device is not cpu or other_defaults):
            device = own.device
        result = fresh(layout_for("new_empty", lengths, size, dtype, device), "new_empty")
        result = batched_as(result, self) if open_batches else result
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
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(zeros, locals())
        result = filled(layout_for("zeros", lengths, size, dtype, device), "zeros", 0.0)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def zeros_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(zeros_like, locals())
        result = filled(layout_like("zeros_like", input, dtype, device), "zeros_like", 0.0)
        result = batched_as(result, input) if open_batches else result
        if memory_format is not None or requires_grad is not False:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def new_zeros(
    self: Tensor,
    *lengths: Lengths,
    size: Lengths | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """lengths: the lengths, as numbers or as one sequence.
    size: the shape; another way to give `lengths`.
    dtype: the dtype of the result; that of this tensor if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of this tensor if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(new_zeros, locals())
        own = layout_of_tensor(self)
        if dtype is None:
            dtype = own.dtype
        if device is None and (own.device is not cpu or other_defaults):
            device = own.device
        result = filled(layout_for("new_zeros", lengths, size, dtype, device), "new_zeros", 0.0)
        result = batched_as(result, self) if open_batches else result
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
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; the default device if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(ones, locals())
        result = filled(layout_for("ones", lengths, size, dtype, device), "ones", 1.0)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def ones_like(
    input: Tensor,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(ones_like, locals())
        result = filled(layout_like("ones_like", input, dtype, device), "ones_like", 1.0)
        result = batched_as(result, input) if open_batches else result
        if memory_format is not None or requires_grad is not False:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def new_ones(
    self: Tensor,
    *lengths: Lengths,
    size: Lengths | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """lengths: the lengths, as numbers or as one sequence.
    size: the shape; another way to give `lengths`.
    dtype: the dtype of the result; that of this tensor if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of this tensor if None.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(new_ones, locals())
        own = layout_of_tensor(self)
        if dtype is None:
            dtype = own.dtype
        if device is None and (own.device is not cpu or other_defaults):
            device = own.device
        result = filled(layout_for("new_ones", lengths, size, dtype, device), "new_ones", 1.0)
        result = batched_as(result, self) if open_batches else result
        return result if requires_grad is False else finish(result, requires_grad)
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
    """layout, pin_memory: `strided` or None; whether the result is in pinned memory.
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
        result = filled(layout_for("full", (size,), None, dtype, device), "full", fill_value)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def full_like(
    input: Tensor,
    fill_value: Operand,
    *,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None; whether the result is in pinned memory.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            return with_options(full_like, locals())
        if type(fill_value) is not float and type(fill_value) is not int:
            fill_value = number_to_fill(fill_value, "full_like")
        result = filled(layout_like("full_like", input, dtype, device), "full_like", fill_value)
        result = batched_as(result, input) if open_batches else result
        if memory_format is not None or requires_grad is not False:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def new_full(
    self: Tensor,
    size: Lengths,
    fill_value: Operand,
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
            return with_options(new_full, locals())
        result = bodies.new_full(self, size, fill_value, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise
