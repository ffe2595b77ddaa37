"""New tensors with shape, dtype and device of another one: uninitialised, of one value, or of random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import cpu

from .._core.allocation import fresh, layout_for
from .._core.default_device import other_defaults
from .._core.formats import check_storage
from .._core.tensor import Tensor, layout_of_tensor, method
from .._core.wrapped import batched_as
from .._dispatch.namespaces import composite, no_record_ops, recorded_ops
from .batches import open_batches
from .filled import empty, finish, full, in_format, like, number_to_fill, ones, zeros
from .filling import filled
from .random import NORMAL, UNIFORM, draw, drawn

if TYPE_CHECKING:
    from .._core.types import DeviceLike, DTypeLike, Function, Lengths, MemoryFormat, Operand
    from .._dispatch.namespaces import Namespace
    from .generator import Generator

__all__ = ["empty_like", "full_like", "ones_like", "rand_like", "randn_like", "zeros_like"]


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
    """An uninitialised tensor of the shape, dtype and device of `input`.

    Arguments:
        input: the tensor to take shape, dtype and device from.
        dtype: that of `input` if None.
        layout: `strided`, the only one there is, or None.
        device: that of `input` if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: False: there is no pinned memory.
        memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("empty_like", layout, pin_memory)
        result = fresh(like("empty_like", input, dtype, device), "empty_like")
        if open_batches:
            result = batched_as(result, input)
        return (
            result if memory_format is None and not requires_grad else in_format(result, memory_format, requires_grad)
        )
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
    """Zeros of the shape, dtype and device of `input`.

    Arguments:
        input: the tensor to take shape, dtype and device from.
        dtype: that of `input` if None.
        layout: `strided`, the only one there is, or None.
        device: that of `input` if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: False: there is no pinned memory.
        memory_format: the order of the dimensions in memory; row-major if None.

    >>> zeros_like(ones(2))
    tensor([0., 0.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("zeros_like", layout, pin_memory)
        result = filled(like("zeros_like", input, dtype, device), 0.0, "zeros_like")
        if open_batches:
            result = batched_as(result, input)
        return (
            result if memory_format is None and not requires_grad else in_format(result, memory_format, requires_grad)
        )
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
    """Ones of the shape, dtype and device of `input`.

    Arguments:
        input: the tensor to take shape, dtype and device from.
        dtype: that of `input` if None.
        layout: `strided`, the only one there is, or None.
        device: that of `input` if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: False: there is no pinned memory.
        memory_format: the order of the dimensions in memory; row-major if None.

    >>> ones_like(zeros(2))
    tensor([1., 1.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("ones_like", layout, pin_memory)
        result = filled(like("ones_like", input, dtype, device), 1.0, "ones_like")
        if open_batches:
            result = batched_as(result, input)
        return (
            result if memory_format is None and not requires_grad else in_format(result, memory_format, requires_grad)
        )
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
    """A tensor of one value, of the shape, dtype and device of `input`.

    Arguments:
        input: the tensor to take shape, dtype and device from.
        fill_value: the number, or a tensor of one without dimensions.
        dtype: that of `input` if None.
        layout: `strided`, the only one there is, or None.
        device: that of `input` if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: False: there is no pinned memory.
        memory_format: the order of the dimensions in memory; row-major if None.

    >>> full_like(zeros(2), 3)
    tensor([3., 3.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("full_like", layout, pin_memory)
        if type(fill_value) is not float and type(fill_value) is not int:
            fill_value = number_to_fill(fill_value, "full_like")
        result = filled(like("full_like", input, dtype, device), fill_value, "full_like")
        if open_batches:
            result = batched_as(result, input)
        return (
            result if memory_format is None and not requires_grad else in_format(result, memory_format, requires_grad)
        )
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
    """`rand` of the shape, dtype and device of `input`.

    Arguments:
        input: the tensor to take shape, dtype and device from.
        generator: the source of random numbers; the default generator if None.
        dtype: that of `input` if None.
        layout: `strided`, the only one there is, or None.
        device: that of `input` if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: False: there is no pinned memory.
        memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("rand_like", layout, pin_memory)
        made = like("rand_like", input, dtype, device)
        if open_batches:
            return finish(drawn(made, UNIFORM, generator, 0.0, 1.0), requires_grad)
        result = fresh(made, "rand_like")
        draw(made, result._storage, 0, UNIFORM, generator, 0.0, 1.0)
        return (
            result if memory_format is None and not requires_grad else in_format(result, memory_format, requires_grad)
        )
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
    """`randn` of the shape, dtype and device of `input`.

    Arguments:
        input: the tensor to take shape, dtype and device from.
        generator: the source of random numbers; the default generator if None.
        dtype: that of `input` if None.
        layout: `strided`, the only one there is, or None.
        device: that of `input` if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: False: there is no pinned memory.
        memory_format: the order of the dimensions in memory; row-major if None.
    """
    try:
        if layout is not None or pin_memory:
            check_storage("randn_like", layout, pin_memory)
        made = like("randn_like", input, dtype, device)
        if open_batches:
            return finish(drawn(made, NORMAL, generator, 0.0, 1.0), requires_grad)
        result = fresh(made, "randn_like")
        draw(made, result._storage, 0, NORMAL, generator, 0.0, 1.0)
        return (
            result if memory_format is None and not requires_grad else in_format(result, memory_format, requires_grad)
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


@composite
def zeros_like_(F: Namespace, like: Tensor) -> Tensor:
    """Zeros, as rules call it."""
    return zeros_like(like)


@composite
def ones_like_(F: Namespace, like: Tensor) -> Tensor:
    """Ones, as rules call it."""
    return ones_like(like)


for _F in (no_record_ops, recorded_ops):
    _F.zeros_like, _F.ones_like = _F.zeros_like_, _F.ones_like_


def _new(maker: Function, number: float | None) -> None:
    """Put `new_empty` or the like on Tensor: `maker` says which, `number` what fills it, None for nothing."""
    name = f"new_{maker.__name__}"

    def new(
        self: Tensor,
        *lengths: Lengths,
        size: Lengths | None = None,
        dtype: DTypeLike | None = None,
        layout: object = None,
        device: DeviceLike | None = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
    ) -> Tensor:
        try:
            if layout is not None or pin_memory:
                check_storage(name, layout, pin_memory)
            own = layout_of_tensor(self)
            if dtype is None:
                dtype = own.dtype
            if device is None and (own.device is not cpu or other_defaults):
                device = own.device
            made = layout_for(name, lengths, size, dtype, device)
            result = fresh(made, name) if number is None else filled(made, number, name)
            if open_batches:
                result = batched_as(result, self)
            return result if requires_grad is False else finish(result, requires_grad)
        except FaculaError as error:
            trim_traceback(error)
            raise

    new.__doc__ = f"""`{maker.__name__}` in the dtype and on the device of this tensor.

    Arguments:
        lengths: the lengths, as numbers or as one sequence.
        size: the shape; another way to give `lengths`.
        dtype: this tensor's if None.
        layout: `strided`, the only one there is, or None.
        device: this tensor's if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: False: there is no pinned memory.
    """
    method(name)(new)


for _maker, _number_of in ((empty, None), (zeros, 0.0), (ones, 1.0)):
    _new(_maker, _number_of)


@method()
@boundary
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
    """`full` in the dtype and on the device of this tensor.

    Arguments:
        size: the shape.
        fill_value: the number, or a tensor of one without dimensions.
        dtype: this tensor's if None.
        layout: `strided`, the only one there is, or None.
        device: this tensor's if None.
        requires_grad: whether the result requires a gradient.
        pin_memory: False: there is no pinned memory.
    """
    if layout is not None or pin_memory:
        check_storage("new_full", layout, pin_memory)
    own = layout_of_tensor(self)
    result = full(
        size,
        fill_value,
        dtype=own.dtype if dtype is None else dtype,
        device=own.device if device is None else device,
        requires_grad=requires_grad,
    )
    return batched_as(result, self) if open_batches else result
