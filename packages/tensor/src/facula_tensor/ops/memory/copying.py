"""Copies to another dtype, device or memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Device, DType, Layout, contiguous
from facula_storage.extend.layouts import FLOATING
from facula_storage.extend.memory import allocate

from ..._core.errors import relabel
from ..._core.formats import check_format
from ..._core.promotion import as_dtype
from ..._core.tensor import Tensor, layout_of_tensor, make, method
from ..._core.transfer import allocate_pinned, pinned_allocator, transfer
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, identity_grad, no_record_ops, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from ..._core.types import DeviceLike, DTypeLike, MemoryFormat
    from ..._dispatch.namespaces import Namespace


@operator
class to:
    """A copy in another dtype. Integers drop the fraction of floats; real dtypes drop the imaginary part."""

    kernel = "copy"
    parameters = ("dtype",)
    linear = ("input",)
    holomorphic = False
    batching = "leading"

    def outputs(layout, dtype):
        return contiguous(layout.shape, dtype, layout.device)

    def vjp_input(F, g, input_layout, _dtype):
        return F.to(g, (input_layout.dtype,))


@operator
class to_device:
    """A copy on another device. `non_blocking`: the host may continue while pinned memory is copied."""

    parameters = ("device", "non_blocking")
    linear = ("input",)
    holomorphic = False
    batching = "leading"

    def outputs(layout, device, _non_blocking):
        return contiguous(layout.shape, layout.dtype, device)

    def execute(operands, parameters):
        (source,), (device, non_blocking) = operands, parameters
        layout = layout_of_tensor(source)
        goal = contiguous(layout.shape, layout.dtype, device)
        # the program continues at once, so memory that the device writes later must not be pageable
        pinned = pinned_allocator() if non_blocking and device.type == "cpu" and layout.device.type != "meta" else None
        target = uninitialized(goal) if pinned is None else make(Tensor, goal, allocate_pinned(goal, pinned))
        transfer(no_record_ops.contiguous(source), target, non_blocking)  # operands of `execute` are snapshots
        return [target]

    def vjp_input(F, g, input_layout, _device, _non_blocking):
        return F.to_device(g, (input_layout.device, False))


def uninitialized(layout: Layout) -> Tensor:
    """Return a tensor with uninitialized memory."""
    return make(Tensor, layout, allocate(layout))


@operator
class _clone:
    """A copy in newly allocated memory."""

    linear = ("input",)
    kernel = "copy"
    batching = "leading"

    def outputs(layout):
        return contiguous(layout.shape, layout.dtype, layout.device)

    vjp_input = identity_grad


@overridable
@method()
def clone(input: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return a copy in newly allocated memory; gradients flow through it.

    The result is contiguous, or in `memory_format`.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, 2.0])
    >>> y = x.clone()
    >>> y[0] = 5
    >>> x
    tensor([1., 2.])
    """
    try:
        if memory_format is None and isinstance(input, Tensor):
            return recorded_ops.clone(input)
        if check_format("clone", memory_format, as_tensor("clone", input).ndim):
            result = recorded_ops.in_format(input, memory_format)
            return recorded_ops.view(recorded_ops.clone(input), tuple(input.shape)) if result is input else result
        return recorded_ops.clone(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@composite
def contiguous_(F: Namespace, input: Tensor) -> Tensor:
    """Return `input` itself if it is contiguous, otherwise a contiguous copy."""
    return input if layout_of_tensor(input).is_contiguous else F.clone(input)


no_record_ops.contiguous, recorded_ops.contiguous = no_record_ops.contiguous_, recorded_ops.contiguous_


@overridable
@method("contiguous")
def contiguous_method(self: Tensor, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return this tensor if it is contiguous (in row-major order or in `memory_format`), else such a copy."""
    try:
        return recorded_ops.in_format(self, memory_format)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method("to")
def to_like(
    self: Tensor,
    *args: Tensor | DTypeLike | DeviceLike | None,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    copy: bool = False,
    non_blocking: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """Return this tensor with another dtype or device, or with those of another tensor; itself if neither changes.

    Arguments:
        *args: a dtype, a device, or a tensor that provides both; then the flags `non_blocking` and `copy`.
        dtype: the dtype, or None to keep it.
        device: the device, or None to keep it.
        copy: whether to copy even if dtype and device stay the same.
        non_blocking: whether to continue before a copy between a device and pinned memory is done. A result in host
            memory may then be read only after a wait for the device.
        memory_format: the order of the elements of a copy, or None for row-major.

    >>> from facula_tensor import tensor, int64
    >>> tensor([1.7, -1.7]).to(int64)
    tensor([ 1, -1])
    """
    try:
        if len([value for value in (*args, dtype) if isinstance(value, (DType, type))]) > 1:
            raise InvalidTypeError(f"to: expected one dtype; got {', '.join(map(repr, (*args, dtype)))}")
        flags = 0  # the first flag is non_blocking, the second is copy
        for arg in args:
            if isinstance(arg, Tensor):
                dtype, device = arg.dtype, arg.device
            elif isinstance(arg, (Device, str)) and not (
                isinstance(arg, str) and arg.startswith(("float", "int", "complex"))
            ):
                device = arg
            elif arg is None:
                continue
            elif isinstance(arg, bool):
                flags += 1
                non_blocking = non_blocking or (arg and flags == 1)
                copy = copy or (arg and flags == 2)
                if flags > 2:
                    raise InvalidTypeError(f"to: expected non_blocking and copy at most; got {flags} flags in {args}")
            else:
                dtype = arg
        result = self
        layout = layout_of_tensor(self)
        try:
            place = layout.device if device is None else Device(device)
            if place is not layout.device:
                place = place.resolved
            wanted = layout.dtype if dtype is None else as_dtype(dtype, "to")
        except Exception as error:
            relabel(error, "to")
            raise
        if place is not layout.device:
            # the host reads what it converts, so it has to wait
            later = bool(non_blocking) and not (place.type == "cpu" and (wanted is not layout.dtype or memory_format))
            result = recorded_ops.to_device(result, (place, later))
        if wanted is not layout.dtype:
            result = cast_to(result, wanted)
        if copy and result is self:
            return clone(result, memory_format=memory_format)
        return result if memory_format is None else recorded_ops.in_format(result, memory_format)
    except FaculaError as error:
        trim_traceback(error)
        raise


def cast_to(input: Tensor, dtype: DType) -> Tensor:
    """Return `input` cast to another dtype.

    A cast to an integer dtype detaches the result: gradients do not flow through integers.
    """
    if input.node is not None and dtype.category < FLOATING:
        input = input.detach()
    return recorded_ops.to(input, (dtype,))


def _cast_method(name: str, dtype_name: str) -> None:
    """Add the method `name`, which casts a tensor to the dtype named `dtype_name`: `x.float()`, `x.long()`."""
    from facula_storage import dtype_named

    dtype = dtype_named(dtype_name)
    whole = dtype.category < FLOATING

    def cast(self: Tensor, memory_format: MemoryFormat | None = None) -> Tensor:
        try:
            if self.dtype is dtype:
                result = self
            else:
                result = cast_to(self, dtype) if whole else recorded_ops.to(self, (dtype,))
            return result if memory_format is None else recorded_ops.in_format(result, memory_format)
        except FaculaError as error:
            trim_traceback(error)
            raise

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"Return this tensor cast to {dtype_name}."
    setattr(Tensor, name, cast)
    overridable(cast)


_CASTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
for _name, _dtype in _CASTS.items():
    _cast_method(_name, _dtype)


@overridable
@method()
@boundary
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return this tensor cast to the dtype of `other`."""
    return to_like(self, as_tensor("type_as", other).dtype)


@overridable
@method()
@boundary
def cpu(self: Tensor, memory_format: MemoryFormat | None = None) -> Tensor:
    """Return this tensor in host memory, or itself if it is already there.

    `memory_format` is the order of the elements of a copy.
    """
    return to_like(self, "cpu", memory_format=memory_format)


@overridable
@method()
@boundary
def cuda(
    self: Tensor,
    device: DeviceLike | int | None = None,
    non_blocking: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """Return this tensor on a CUDA device, or itself if it is already there.

    Arguments:
        device: the device or its index; None for "cuda", without an index.
        non_blocking: whether to continue before a copy from pinned memory is done.
        memory_format: the order of the elements of a copy, or None for row-major.

    Raises:
        RuntimeError: if the device is not available; the message names the package to install.
    """
    place = "cuda" if device is None else f"cuda:{device}" if isinstance(device, int) else device
    return to_like(self, place, non_blocking=non_blocking, memory_format=memory_format)
