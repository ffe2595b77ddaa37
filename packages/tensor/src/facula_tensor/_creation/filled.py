"""New uninitialised and constant tensors. `like.py` takes another tensor's properties, `from_data.py` data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_storage import Layout, bool_, contiguous

from .._core.allocation import fresh, layout_for, place_of
from .._core.errors import relabel
from .._core.formats import check_storage
from .._core.promotion import (
    as_dtype,
    as_number,
    scalar_dtype,
)
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.namespaces import composite, no_record_ops
from .._dispatch.slow_path.writing import write_out
from .._dispatch.written import maker
from .filling import filled

if TYPE_CHECKING:
    from facula_storage import DType

    from .._core.types import DeviceLike, DTypeLike, Function, Lengths, MemoryFormat, Number, Operand
    from .._dispatch.namespaces import Namespace


def finish(tensor: Tensor, requires_grad: bool) -> Tensor:
    """Return a new tensor, with or without a gradient."""
    return tensor if requires_grad is False else tensor.requires_grad_(requires_grad)


# Note [Options of creation]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~
# Every function that makes tensors takes PyTorch's options. Of these, `out`, `layout` and `pin_memory` are
# rare. If one is given, the function passes all its arguments (`locals()`, before it has other variables) to
# `with_options`, which handles the three and calls the function again without them.
def with_options(function: Function, given: dict[str, Any]) -> Tensor:
    """Call `function` with the arguments `given`, and write the result to `out` if that is among them."""
    name, out = function.__name__, given.pop("out")
    check_storage(name, given.pop("layout"), given.pop("pin_memory"))
    lengths = given.pop("lengths", ())
    if out is None:
        return function(*lengths, **given)
    if not isinstance(out, Tensor):
        raise InvalidTypeError(f"{name}: expected out to be a Tensor; got {type(out).__name__}")
    requires_grad = given.pop("requires_grad")
    for option in ("dtype", "device"):
        if given[option] is None:
            given[option] = getattr(out, option)
    return finish(write_out(name, function(*lengths, **given), out), requires_grad)


def number_to_fill(value: object, operation: str) -> Number:
    """Return a number, or a zero-dimensional tensor's element, as a Python number."""
    return as_number(value, operation, "fill_value")


def layout_like(name: str, input: Tensor, dtype: DTypeLike | None, device: DeviceLike | None) -> Layout:
    """Return the contiguous layout of a tensor like `input`."""
    try:
        layout = input._layout
        if dtype is None and device is None and layout.is_contiguous:
            return layout
        shape = layout.shape
    except AttributeError:  # not a tensor, one that overrides, or one inside a transform
        if not isinstance(input, Tensor):
            given = f"{type(input).__name__} {input!r:.60}"
            raise InvalidTypeError(f"{name}: expected input to be a Tensor; got {given}") from None
        layout = layout_of_tensor(input)
        shape = layout.shape
    try:
        return contiguous(
            shape,
            layout.dtype if dtype is None else as_dtype(dtype, name),
            layout.device if device is None else place_of(device),
        )
    except Exception as error:
        relabel(error, name)
        raise


def with_memory_format(tensor: Tensor, memory_format: MemoryFormat | None, requires_grad: bool) -> Tensor:
    """Return a new tensor in a memory format, with or without a gradient."""
    return finish(tensor if memory_format is None else no_record_ops.in_format(tensor, memory_format), requires_grad)


# ------------------------------------------------------------------------------------------------- public functions
@maker(memory_format=True, inline=True)
def empty(
    *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Tensor:
    """Return an uninitialised tensor; `memory_format` determines its strides.

    >>> empty(2, 3).shape
    facula.Size([2, 3])
    """
    return fresh(layout_for("empty", lengths, size, dtype, device))


@maker(inline=True)
def full(
    size: Lengths, fill_value: Operand, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Tensor:
    """Return a tensor filled with one value.

    Arguments:
        size: the shape.
        fill_value: a number, or a zero-dimensional tensor.
        dtype: the dtype of the result; that of `fill_value` if None.

    >>> full((2,), 7)
    tensor([7, 7])
    """
    kind = type(fill_value)
    if kind is not float and kind is not int:
        fill_value = number_to_fill(fill_value, "full")
        kind = type(fill_value)
    if dtype is None and kind is not float:
        dtype = scalar_dtype(kind)
    return filled(layout_for("full", (size,), None, dtype, device), fill_value)


@maker(inline=True)
def zeros(
    *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Tensor:
    """Return a tensor of zeros.

    >>> zeros(2)
    tensor([0., 0.])
    """
    return filled(layout_for("zeros", lengths, size, dtype, device), 0.0, "zeros")


@maker(inline=True)
def ones(
    *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Tensor:
    """Return a tensor of ones.

    >>> ones(2)
    tensor([1., 1.])
    """
    return filled(layout_for("ones", lengths, size, dtype, device), 1.0, "ones")


@composite
def from_number(F: Namespace, number: float, dtype: DType) -> Tensor:
    """Return a number as a zero-dimensional tensor; bools keep their dtype."""
    return full((), number, dtype=bool_ if type(number) is bool else dtype)
