"""New tensors: of one value, of a sequence, like another one. `from_data.py` makes them from data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, contiguous, cpu

from .._core.allocation import fresh, layout_for, place_of
from .._core.errors import relabel
from .._core.formats import check_storage
from .._core.promotion import (
    as_dtype,
    as_number,
    scalar_dtype,
)
from .._core.tensor import Tensor, WrappedLayout, layout_of_tensor, method
from .._dispatch.namespaces import composite, no_record_ops, recorded_ops
from .._dispatch.writing import write_out
from .filling import filled

if TYPE_CHECKING:
    from .._core.types import DeviceLike, DTypeLike, Function, Lengths, MemoryFormat, Number, Operand
    from .._dispatch.namespaces import Namespace

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
# one is given, the function hands all its arguments (`locals()`, asked for before there is any other variable) to
# `with_options`, which looks at the three and calls the function again without them.
def with_options(maker: Function, given: dict[str, Any]) -> Tensor:
    """What `maker` makes of the arguments `given`, in `out` where that is among them."""
    name, out = maker.__name__, given.pop("out")
    check_storage(name, given.pop("layout"), given.pop("pin_memory"))
    lengths = given.pop("lengths", ())
    if out is None:
        return maker(*lengths, **given)
    if not isinstance(out, Tensor):
        raise InvalidTypeError(f"{name}: expected out to be a Tensor; got {type(out).__name__}")
    requires_grad = given.pop("requires_grad")
    for option in ("dtype", "device"):
        if given[option] is None:
            given[option] = getattr(out, option)
    return finish(write_out(name, maker(*lengths, **given), out), requires_grad)


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
    """A tensor whose elements are whatever was in memory. `memory_format` orders them.

    >>> empty(2, 3).shape
    facula.Size([2, 3])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(empty, locals())
        result = fresh(layout_for("empty", lengths, size, dtype, device))
        return (
            result if memory_format is None and not requires_grad else in_format(result, memory_format, requires_grad)
        )
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
    """A tensor of one value; the dtype is the value's unless given.

    >>> full((2,), 7)
    tensor([7, 7])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(full, locals())
        kind = type(fill_value)
        if kind is not float and kind is not int:
            fill_value = _number(fill_value, "full")
            kind = type(fill_value)
        if dtype is None and kind is not float:
            dtype = scalar_dtype(kind)
        result = filled(layout_for("full", (size,), None, dtype, device), fill_value)
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def _number(value: object, operation: str) -> Number:
    """What to fill with, as a Python number."""
    if isinstance(value, Tensor) and not value.ndim:
        value = value.item()
    return as_number(value, operation, "fill_value")


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
    """A tensor of zeros.

    >>> zeros(2)
    tensor([0., 0.])
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
    """A tensor of ones.

    >>> ones(2)
    tensor([1., 1.])
    """
    try:
        if out is not None or layout is not None or pin_memory:
            return with_options(ones, locals())
        result = filled(layout_for("ones", lengths, size, dtype, device), 1.0, "ones")
        return result if requires_grad is False else finish(result, requires_grad)
    except FaculaError as error:
        trim_traceback(error)
        raise


def like(name: str, input: Tensor, dtype: DTypeLike | None, device: DeviceLike | None) -> Layout:
    """The contiguous layout of a tensor like `input`."""
    try:
        layout = input._layout
        if dtype is None and device is None and layout.is_contiguous:
            return layout
    except AttributeError:  # no tensor, or one that overrides
        if not isinstance(input, Tensor):
            given = f"{type(input).__name__} {input!r:.60}"
            raise InvalidTypeError(f"{name}: expected input to be a Tensor; got {given}") from None
        layout = layout_of_tensor(input)
    try:
        return contiguous(
            layout.shape,
            layout.dtype if dtype is None else as_dtype(dtype, name),
            layout.device if device is None else place_of(device),
        )
    except Exception as error:
        relabel(error, name)
        raise


def in_format(tensor: Tensor, memory_format: MemoryFormat | None, requires_grad: bool) -> Tensor:
    """A new tensor in a memory format, wanting a gradient or not."""
    return finish(tensor if memory_format is None else no_record_ops.in_format(tensor, memory_format), requires_grad)


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
    """An uninitialised tensor of the shape, dtype and device of `input`."""
    try:
        if layout is not None or pin_memory:
            check_storage("empty_like", layout, pin_memory)
        result = fresh(like("empty_like", input, dtype, device), "empty_like")
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

    >>> zeros_like(ones(2))
    tensor([0., 0.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("zeros_like", layout, pin_memory)
        result = filled(like("zeros_like", input, dtype, device), 0.0, "zeros_like")
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

    >>> ones_like(zeros(2))
    tensor([1., 1.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("ones_like", layout, pin_memory)
        result = filled(like("ones_like", input, dtype, device), 1.0, "ones_like")
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

    >>> full_like(zeros(2), 3)
    tensor([3., 3.])
    """
    try:
        if layout is not None or pin_memory:
            check_storage("full_like", layout, pin_memory)
        if type(fill_value) is not float and type(fill_value) is not int:
            fill_value = _number(fill_value, "full_like")
        result = filled(like("full_like", input, dtype, device), fill_value, "full_like")
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
            own = self._layout
            if type(own) is WrappedLayout:
                own = own.real
            if dtype is None:
                dtype = own.dtype
            if device is None and own.device is not cpu:
                device = own.device
            made = layout_for(name, lengths, size, dtype, device)
            result = fresh(made, name) if number is None else filled(made, number, name)
            return result if requires_grad is False else finish(result, requires_grad)
        except FaculaError as error:
            trim_traceback(error)
            raise

    new.__doc__ = f"`{maker.__name__}` in the dtype and on the device of this tensor."
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
