"""The geometry of convolutions: shapes that fit each other, strides, padding, and the sizes of results."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError

from .._core.geometry import is_integer, several
from .._core.tensor import layout_of_tensor
from .._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._core.types import Parameters

__all__: list[str] = []

Shape = tuple[int, ...]

LENGTHS: dict[int, tuple[str, ...]] = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}
WHAT = {1: "sequences", 2: "images", 3: "volumes"}


def check_shapes(
    operation: str,
    dims: int,
    input: Shape,
    weight: Shape,
    bias: Shape | None,
    groups: int,
    transposed: bool,
) -> None:
    """Raise unless input, weight and bias fit each other, errors naming the operator.

    Shapes are those of a convolution of `dims` dimensions, or where `transposed` of its transpose.
    """
    if not is_integer(groups) or groups < 1:
        raise ArgumentError(f"{operation}: expected groups to be an int of at least 1; got {groups!r}")
    lengths = ", ".join(LENGTHS[dims])
    if len(input) not in (dims + 1, dims + 2):
        raise ArgumentError(
            f"{operation}: expected input of shape ({WHAT[dims]}, channels, {lengths}) or (channels, {lengths}); "
            f"got {input}"
        )
    if len(weight) != dims + 2:
        order = "channels, filters / groups" if transposed else "filters, channels / groups"
        raise ArgumentError(f"{operation}: expected weight of shape ({order}, {lengths}); got {weight}")
    channels, needed = input[-dims - 1], weight[0] if transposed else weight[1] * groups
    if channels != needed:
        raise ArgumentError(
            f"{operation}: expected input with {needed} channels, as weight {weight}"
            f"{f' with groups={groups}' if groups > 1 else ''} has; got {channels} in input {input}"
        )
    if weight[0] % groups:
        raise ArgumentError(f"{operation}: expected weight.shape[0] to be a multiple of groups={groups}; got {weight}")
    filters = weight[1] * groups if transposed else weight[0]
    if bias is not None and bias != (filters,):
        raise ArgumentError(f"{operation}: expected bias of shape ({filters},); got {bias}")
    if not all(weight[2:]):
        raise ArgumentError(f"{operation}: expected a kernel of at least one element; got weight {weight}")


@lru_cache(maxsize=1024, typed=True)
def forward_parameters(
    dims: int,
    input: Shape,
    weight: Shape,
    bias: Shape | None,
    stride: object,
    padding: object,
    dilation: object,
    groups: int,
) -> Parameters:
    """The operator's parameters for a convolution of `dims` dimensions; raises where these make none.

    Shapes are those of the operands; stride, padding and dilation are as the caller gave them, hashable.
    """
    name = f"conv{dims}d"
    check_shapes(name, dims, input, weight, bias, groups, False)
    steps, gaps = several(name, "stride", stride, dims, 1), several(name, "dilation", dilation, dims, 1)
    kernel = tuple([step * (length - 1) + 1 for step, length in zip(gaps, weight[2:], strict=True)])
    if padding == "same":
        if max(steps) != 1:
            raise ArgumentError(f"{name}: padding='same' needs stride 1; got stride={steps}")
        before = tuple([(span - 1) // 2 for span in kernel])
        padded = tuple([length + span - 1 for length, span in zip(input[-dims:], kernel, strict=True)])
    elif isinstance(padding, str) and padding != "valid":
        raise ArgumentError(f"{name}: expected padding to be numbers, 'same' or 'valid'; got {padding!r}")
    else:
        before = (0,) * dims if padding == "valid" else several(name, "padding", padding, dims, 0)
        padded = tuple([length + 2 * more for length, more in zip(input[-dims:], before, strict=True)])
    if any([span > room for span, room in zip(kernel, padded, strict=True)]):
        raise ArgumentError(
            f"{name}: the kernel {weight[2:]}{f' with dilation {gaps}' if max(gaps) != 1 else ''} spans "
            f"{kernel} and does not fit the padded input {padded}; make it smaller, or padding larger"
        )
    size = tuple([(room - span) // step + 1 for room, span, step in zip(padded, kernel, steps, strict=True)])
    return (steps, before, gaps, int(groups), size)


@lru_cache(maxsize=1024, typed=True)
def transposed_parameters(
    dims: int,
    input: Shape,
    weight: Shape,
    bias: Shape | None,
    stride: object,
    padding: object,
    output_padding: object,
    groups: int,
    dilation: object,
) -> Parameters:
    """`forward_parameters` of the transpose, with `output_padding` as the caller gave it."""
    name = f"conv_transpose{dims}d"
    check_shapes(name, dims, input, weight, bias, groups, True)
    steps, gaps = several(name, "stride", stride, dims, 1), several(name, "dilation", dilation, dims, 1)
    cut = several(name, "padding", padding, dims, 0)
    extra = several(name, "output_padding", output_padding, dims, 0)
    if any([more >= max(step, gap) for more, step, gap in zip(extra, steps, gaps, strict=True)]):
        raise ArgumentError(
            f"{name}: expected output_padding smaller than stride or dilation; got output_padding={extra}, "
            f"stride={steps}, dilation={gaps}"
        )
    size = tuple([
        (length - 1) * step - 2 * less + gap * (taps - 1) + 1 + more
        for length, step, less, gap, taps, more in zip(
            input[-dims:], steps, cut, gaps, weight[2:], extra, strict=True
        )
    ])  # fmt: skip
    if min(size) < 1:
        raise ArgumentError(
            f"{name}: input {input} with padding {cut} leaves an output of {size}; make padding smaller"
        )
    return (steps, cut, gaps, int(groups), size)


def shapes_of(operation: str, input: Tensor, weight: Tensor, bias: Tensor | None) -> tuple[Shape, Shape, Shape | None]:
    """The shapes of a convolution's operands; TypeError, with the operator's name, where one is no tensor."""
    return (
        layout_of_tensor(as_tensor(operation, input)).shape,
        layout_of_tensor(as_tensor(operation, weight)).shape,
        None if bias is None else layout_of_tensor(as_tensor(operation, bias)).shape,
    )


def check_dtypes(operation: str, *operands: Tensor | None) -> None:
    """Raise unless all have one dtype. The operators themselves would name images, which all operands become."""
    layouts = [layout_of_tensor(one) for one in operands if one is not None]
    if any([one.dtype is not layouts[0].dtype for one in layouts]):
        raise DTypeError(
            f"{operation}: expected all in one dtype; got {', '.join([one.dtype.name for one in layouts])}; "
            "convert with .to()"
        )
