"""The public functions of `_creation/like.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback
from facula_storage import cpu

from ..._core.allocation import fresh, layout_for
from ..._core.default_device import other_defaults
from ..._core.formats import check_storage
from ..._core.tensor import layout_of_tensor, method
from ..._core.wrapped import batched_as
from ..._creation.batches import open_batches
from ..._creation.filled import finish, layout_like, number_to_fill, with_memory_format
from ..._creation.filling import filled
from ..._creation.random import NORMAL, UNIFORM, drawn_batched, fill_with_draws
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._core.types import DeviceLike, DTypeLike, Lengths, MemoryFormat, Operand
    from ..._creation.generator import Generator

bodies = bodies_of("_creation.like")


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
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("empty_like", layout, pin_memory)
        result = fresh(layout_like("empty_like", input, dtype, device), "empty_like")
        result = batched_as(result, input) if open_batches else result
        if memory_format is not None or requires_grad:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
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
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("zeros_like", layout, pin_memory)
        result = filled(layout_like("zeros_like", input, dtype, device), 0.0, "zeros_like")
        result = batched_as(result, input) if open_batches else result
        if memory_format is not None or requires_grad:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
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
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("ones_like", layout, pin_memory)
        result = filled(layout_like("ones_like", input, dtype, device), 1.0, "ones_like")
        result = batched_as(result, input) if open_batches else result
        if memory_format is not None or requires_grad:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
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
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("full_like", layout, pin_memory)
        if type(fill_value) is not float and type(fill_value) is not int:
            fill_value = number_to_fill(fill_value, "full_like")
        result = filled(layout_like("full_like", input, dtype, device), fill_value, "full_like")
        result = batched_as(result, input) if open_batches else result
        if memory_format is not None or requires_grad:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    generator: the source of random numbers; the default generator if None.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("rand_like", layout, pin_memory)
        made = layout_like("rand_like", input, dtype, device)
        result = drawn_batched(made, UNIFORM, generator, 0.0, 1.0) if open_batches else fresh(made, "rand_like")
        if not open_batches:
            fill_with_draws(made, result._storage, 0, UNIFORM, generator, 0.0, 1.0)
        result = result
        if memory_format is not None or requires_grad:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise


def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    generator: the source of random numbers; the default generator if None.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("randn_like", layout, pin_memory)
        made = layout_like("randn_like", input, dtype, device)
        result = drawn_batched(made, NORMAL, generator, 0.0, 1.0) if open_batches else fresh(made, "randn_like")
        if not open_batches:
            fill_with_draws(made, result._storage, 0, NORMAL, generator, 0.0, 1.0)
        result = result
        if memory_format is not None or requires_grad:
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
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("new_empty", layout, pin_memory)
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
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("new_zeros", layout, pin_memory)
        own = layout_of_tensor(self)
        if dtype is None:
            dtype = own.dtype
        if device is None and (own.device is not cpu or other_defaults):
            device = own.device
        result = filled(layout_for("new_zeros", lengths, size, dtype, device), 0.0, "new_zeros")
        result = batched_as(result, self) if open_batches else result
        return result if requires_grad is False else finish(result, requires_grad)
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
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("new_ones", layout, pin_memory)
        own = layout_of_tensor(self)
        if dtype is None:
            dtype = own.dtype
        if device is None and (own.device is not cpu or other_defaults):
            device = own.device
        result = filled(layout_for("new_ones", lengths, size, dtype, device), 1.0, "new_ones")
        result = batched_as(result, self) if open_batches else result
        return result if requires_grad is False else finish(result, requires_grad)
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
    """layout, pin_memory: `strided` or None, and False; other values are not supported.
    requires_grad: whether the result requires a gradient.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("new_full", layout, pin_memory)
        result = bodies.new_full(self, size, fill_value, dtype=dtype, device=device)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DTypeLike | None = None,
    layout: object = None,
    device: DeviceLike | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """input: the tensor that determines shape, dtype and device.
    generator: the source of random numbers; the default generator if None.
    dtype: the dtype of the result; that of `input` if None.
    layout, pin_memory: `strided` or None, and False; other values are not supported.
    device: the device of the result; that of `input` if None.
    requires_grad: whether the result requires a gradient.
    memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("randint_like", layout, pin_memory)
        result = bodies.randint_like(input, low, high, generator=generator, dtype=dtype, device=device)
        if memory_format is not None or requires_grad:
            result = with_memory_format(result, memory_format, requires_grad)
        return result
    except FaculaError as error:
        trim_traceback(error)
        raise
