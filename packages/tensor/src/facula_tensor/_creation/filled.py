"""New uninitialised and constant tensors, of given shapes or like another tensor. `from_data.py` takes data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_storage import Layout, bool_, contiguous, cpu

from .._core.allocation import fresh, layout_for, place_of
from .._core.default_device import other_defaults
from .._core.errors import relabel
from .._core.formats import check_storage
from .._core.promotion import as_dtype, as_number, scalar_dtype
from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import batched_as
from .._dispatch.namespaces import composite, no_record_ops, recorded_ops
from .._dispatch.slow_path.writing import write_out
from .._dispatch.written import maker
from .batches import open_batches
from .filling import filled

if TYPE_CHECKING:
    from facula_storage import DType

    from .._core.types import DeviceLike, DTypeLike, Function, Lengths, MemoryFormat, Number, Operand
    from .._dispatch.namespaces import Namespace


def finish(tensor: Tensor, requires_grad: bool | None, name: str = "tensor") -> Tensor:
    """Return a new tensor, with or without a gradient. As in PyTorch, None is False except where data is given.

    Errors name the public function that the user called, or `name` if it is not on the stack.
    """
    return tensor if requires_grad is None else finish_data(tensor, requires_grad, name)


def finish_data(tensor: Tensor, requires_grad: bool, name: str = "tensor") -> Tensor:
    """Return a new tensor of given data, with or without a gradient; TypeError unless it is True or False."""
    if requires_grad is False:
        return tensor
    try:
        return tensor.requires_grad_(requires_grad)
    except Exception as error:
        relabel(error, name)
        raise


# Note [Options of creation]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~
# Every function that makes tensors takes PyTorch's options. Of these, `out`, `layout` and `pin_memory` are
# rare. If one is given, the function passes all its arguments (`locals()`, before it has other variables) to
# `with_options`, which handles the three and calls the function again without them.
def with_options(function: Function, given: dict[str, Any]) -> Tensor:
    """Call `function` with the arguments `given`, and write the result to `out` if that is among them."""
    name, out, pinned = function.__name__, given.pop("out", None), given.pop("pin_memory")
    check_storage(name, given.pop("layout"), pinned)
    lengths = given.pop("lengths", ())
    if "self" in given:
        lengths = (given.pop("self"), *lengths)
    if pinned and out is None:
        requires_grad = given.pop("requires_grad")
        return finish(function(*lengths, **given).pin_memory(), requires_grad)
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


def with_memory_format(tensor: Tensor, memory_format: MemoryFormat | None, requires_grad: bool | None) -> Tensor:
    """Return a new tensor in a memory format, with or without a gradient."""
    return finish(tensor if memory_format is None else no_record_ops.in_format(tensor, memory_format), requires_grad)


# ------------------------------------------------------------------------------------------------- public functions
def creators(
    name: str,
    what: str,
    make: Function,
    *numbers: float,
    more: str = "",
    of: str = "ones",
    lengths: str = "2",
    shown: str = "",
    result: str,
    **options: Any,
) -> tuple[Function, Function]:
    """Declare the functions `name` and `name_like`, which are returned, and the method `new_name`.

    Arguments:
        name: the name of the first function.
        what: what they return, for the docstrings.
        make: the function `(layout, operation, *numbers)` that makes the tensor.
        numbers: its further arguments.
        more: what the docstring of the first function adds.
        of, lengths, shown, result: parts of the examples in the docstrings.
        options: options of the first declaration.
    """
    name_like, new_name = f"{name}_like", f"new_{name}"
    words = {"name": name, "what": what, "more": more, "of": of, "lengths": lengths, "shown": shown, "result": result}

    @maker(name=name, words=words, inline=True, **options)
    def plain(
        *lengths: Lengths, size: Lengths | None = None, dtype: DTypeLike | None = None, device: DeviceLike | None = None
    ) -> Tensor:
        """Return {what}{more}.

        >>> {name}({lengths}){shown}
        {result}
        """
        return make(layout_for(name, lengths, size, dtype, device), name, *numbers)

    @maker("like", name=name_like, words=words, memory_format=True, inline=True)
    def like(input: Tensor, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None) -> Tensor:
        """Return {what} with the shape, dtype and device of `input`.

        >>> from facula_tensor import {of}
        >>> {name}_like({of}({lengths})){shown}
        {result}
        """
        result = make(layout_like(name_like, input, dtype, device), name_like, *numbers)
        return batched_as(result, input) if open_batches else result

    @maker("own", name=new_name, words=words, method=True, public=False, quick=True, inline=True)
    def new(
        self: Tensor,
        *lengths: Lengths,
        size: Lengths | None = None,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
    ) -> Tensor:
        """Return {what} with the dtype and the device of this tensor."""
        own = layout_of_tensor(self)
        if dtype is None:
            dtype = own.dtype
        if device is None and (own.device is not cpu or other_defaults):
            device = own.device
        result = make(layout_for(new_name, lengths, size, dtype, device), new_name, *numbers)
        return batched_as(result, self) if open_batches else result

    return plain, like


empty, empty_like = creators(
    "empty",
    "an uninitialised tensor",
    fresh,
    more="; `memory_format` determines its strides",
    lengths="2, 3",
    shown=".shape",
    result="facula.Size([2, 3])",
    memory_format=True,
)
zeros, zeros_like = creators("zeros", "a tensor of zeros", filled, 0.0, result="tensor([0., 0.])")
ones, ones_like = creators("ones", "a tensor of ones", filled, 1.0, of="zeros", result="tensor([1., 1.])")


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
    return filled(layout_for("full", (size,), None, dtype, device), "full", fill_value)


@maker("like", memory_format=True, inline=True)
def full_like(
    input: Tensor, fill_value: Operand, *, dtype: DTypeLike | None = None, device: DeviceLike | None = None
) -> Tensor:
    """Return a tensor filled with one value, with the shape, dtype and device of `input`.

    Arguments:
        fill_value: a number, or a zero-dimensional tensor.

    >>> from facula_tensor import zeros
    >>> full_like(zeros(2), 3)
    tensor([3., 3.])
    """
    if type(fill_value) is not float and type(fill_value) is not int:
        fill_value = number_to_fill(fill_value, "full_like")
    result = filled(layout_like("full_like", input, dtype, device), "full_like", fill_value)
    return batched_as(result, input) if open_batches else result


@maker("own", method=True, public=False, quick=True)
def new_full(
    self: Tensor,
    size: Lengths,
    fill_value: Operand,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
) -> Tensor:
    """Return a tensor filled with one value, with the dtype and the device of this tensor.

    Arguments:
        size: the shape.
        fill_value: a number, or a zero-dimensional tensor.
    """
    own = layout_of_tensor(self)
    dtype, device = own.dtype if dtype is None else dtype, own.device if device is None else device
    result = full(size, fill_value, dtype=dtype, device=device)
    return batched_as(result, self) if open_batches else result


@composite
def zeros_like_(F: Namespace, like: Tensor) -> Tensor:
    """Return zeros; the operator that rules call."""
    return zeros_like(like)


@composite
def ones_like_(F: Namespace, like: Tensor) -> Tensor:
    """Return ones; the operator that rules call."""
    return ones_like(like)


for _F in (no_record_ops, recorded_ops):
    _F.zeros_like, _F.ones_like = _F.zeros_like_, _F.ones_like_


@composite
def from_number(F: Namespace, number: float, dtype: DType) -> Tensor:
    """Return a number as a zero-dimensional tensor; bools keep their dtype."""
    return full((), number, dtype=bool_ if type(number) is bool else dtype)
