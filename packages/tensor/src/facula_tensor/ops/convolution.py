"""Convolutions in two dimensions, and their transposes.

Three operators close under differentiation: `conv2d`, its derivative in the input and its derivative in the weight are
each bilinear, so the rules of each are the other two.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import contiguous, float32, float64

from .._declare import operator
from .._errors import ArgumentError, DTypeError
from .._geometry import Pair, hashable, is_integer, pair
from .._operator import recording
from .._tensor import Tensor, layout_of_tensor
from .._viewing import as_tensor, in_row_major

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["conv2d", "conv_transpose2d"]

PARAMETERS = ("stride", "padding", "dilation", "groups", "size")  # padding above and left; size of what is made


def _ready(F: Any, name: str, operands: tuple, parameters: tuple) -> Any:
    """The call again, on operands in row-major order, if any is not; None if all are."""
    layouts = [layout_of_tensor(one) for one in operands if one is not None]
    first = layouts[0].dtype
    if first not in (float32, float64) or any(layout.dtype is not first for layout in layouts):
        raise DTypeError(
            f"{name}: expected all in one dtype, float32 or float64; got "
            f"{', '.join(layout.dtype.name for layout in layouts)}; convert with .to()"
        )
    return in_row_major(F, name, operands, parameters)


@operator
class _conv2d:
    """Each filter's products with the input, at every place."""

    inputs = ("input", "weight", "bias")
    optional = ("bias",)
    parameters = PARAMETERS

    def redirect(F, operands, parameters):
        return _ready(F, "conv2d", operands, parameters)

    def outputs(input, weight, bias, stride, padding, dilation, groups, size):
        return contiguous((input.shape[0], weight.shape[0], *size), input.dtype, input.device)

    def reverse_input(F, g, weight, input_layout, stride, padding, dilation, groups):
        return F.conv2d_input(g, weight, (stride, padding, dilation, groups, input_layout.shape[2:]))

    def reverse_weight(F, g, input, weight_layout, stride, padding, dilation, groups):
        return F.conv2d_weight(g, input, (stride, padding, dilation, groups, weight_layout.shape[2:]))

    def reverse_bias(F, g):
        return F.sum(g, ((0, 2, 3), False))


@operator
class _conv2d_input:
    """The gradient of conv2d in its input, which is the transposed convolution."""

    inputs = ("grad", "weight")
    parameters = PARAMETERS

    def redirect(F, operands, parameters):
        return _ready(F, "conv2d_input", operands, parameters)

    def outputs(grad, weight, stride, padding, dilation, groups, size):
        return contiguous((grad.shape[0], weight.shape[1] * groups, *size), grad.dtype, grad.device)

    def reverse_grad(F, g, weight, grad_layout, stride, padding, dilation, groups):
        return F.conv2d(g, weight, None, (stride, padding, dilation, groups, grad_layout.shape[2:]))

    def reverse_weight(F, g, grad, weight_layout, stride, padding, dilation, groups):
        return F.conv2d_weight(grad, g, (stride, padding, dilation, groups, weight_layout.shape[2:]))


@operator
class _conv2d_weight:
    """The gradient of conv2d in its weight."""

    inputs = ("grad", "input")
    parameters = PARAMETERS

    def redirect(F, operands, parameters):
        return _ready(F, "conv2d_weight", operands, parameters)

    def outputs(grad, input, stride, padding, dilation, groups, size):
        return contiguous((grad.shape[1], input.shape[1] // groups, *size), grad.dtype, grad.device)

    def reverse_grad(F, g, input, grad_layout, stride, padding, dilation, groups):
        return F.conv2d(input, g, None, (stride, padding, dilation, groups, grad_layout.shape[2:]))

    def reverse_input(F, g, grad, input_layout, stride, padding, dilation, groups):
        return F.conv2d_input(grad, g, (stride, padding, dilation, groups, input_layout.shape[2:]))


# ------------------------------------------------------------------------------------------------ geometry
def _check_shapes(
    operation: str, input: tuple, weight: tuple, bias: tuple | None, groups: int, transposed: bool
) -> None:
    """Raise unless images, weights and bias fit each other."""
    if not is_integer(groups) or groups < 1:
        raise ArgumentError(f"{operation}: expected groups to be an int of at least 1; got {groups!r}")
    if len(input) not in (3, 4):
        raise ArgumentError(
            f"{operation}: expected input of shape (images, channels, height, width) or (channels, height, width); "
            f"got {input}"
        )
    if len(weight) != 4:
        order = "channels, filters / groups" if transposed else "filters, channels / groups"
        raise ArgumentError(f"{operation}: expected weight of shape ({order}, height, width); got {weight}")
    channels, needed = input[-3], weight[0] if transposed else weight[1] * groups
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
    if not weight[2] or not weight[3]:
        raise ArgumentError(f"{operation}: expected a kernel of at least one element; got weight {weight}")


@lru_cache(maxsize=1024, typed=True)
def _conv2d_parameters(
    input: tuple, weight: tuple, bias: tuple | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> tuple:
    """The operator's parameters; raises where these do not make a convolution."""
    _check_shapes("conv2d", input, weight, bias, groups, False)
    stride, dilation = pair("conv2d", "stride", stride, 1), pair("conv2d", "dilation", dilation, 1)
    kernel = tuple([step * (length - 1) + 1 for step, length in zip(dilation, weight[2:])])
    before: Pair
    if padding == "same":
        if stride != (1, 1):
            raise ArgumentError(f"conv2d: padding='same' needs stride 1; got stride={stride}")
        before, padded = (
            ((kernel[0] - 1) // 2, (kernel[1] - 1) // 2),
            (
                input[-2] + kernel[0] - 1,
                input[-1] + kernel[1] - 1,
            ),
        )
    elif isinstance(padding, str) and padding != "valid":
        raise ArgumentError(f"conv2d: expected padding to be numbers, 'same' or 'valid'; got {padding!r}")
    else:
        before = (0, 0) if padding == "valid" else pair("conv2d", "padding", padding, 0)
        padded = (input[-2] + 2 * before[0], input[-1] + 2 * before[1])
    if kernel[0] > padded[0] or kernel[1] > padded[1]:
        raise ArgumentError(
            f"conv2d: the kernel {weight[2:]}{f' with dilation {dilation}' if dilation != (1, 1) else ''} spans "
            f"{kernel} and does not fit the padded input {padded}; make it smaller, or padding larger"
        )
    size = tuple([(room - length) // step + 1 for room, length, step in zip(padded, kernel, stride)])
    return (stride, before, dilation, int(groups), size)


@lru_cache(maxsize=1024, typed=True)
def _transposed_parameters(
    input: tuple,
    weight: tuple,
    bias: tuple | None,
    stride: Any,
    padding: Any,
    output_padding: Any,
    groups: int,
    dilation: Any,
) -> tuple:
    name = "conv_transpose2d"
    _check_shapes(name, input, weight, bias, groups, True)
    stride, dilation = pair(name, "stride", stride, 1), pair(name, "dilation", dilation, 1)
    padding, extra = pair(name, "padding", padding, 0), pair(name, "output_padding", output_padding, 0)
    size = []
    for axis in (0, 1):
        if extra[axis] >= max(stride[axis], dilation[axis]):
            raise ArgumentError(
                f"{name}: expected output_padding smaller than stride or dilation; got output_padding={extra}, "
                f"stride={stride}, dilation={dilation}"
            )
        span = dilation[axis] * (weight[2 + axis] - 1) + 1
        size.append((input[axis - 2] - 1) * stride[axis] - 2 * padding[axis] + span + extra[axis])
    if min(size) < 1:
        raise ArgumentError(
            f"{name}: input {input} with padding {padding} leaves an output of {tuple(size)}; make padding smaller"
        )
    return (stride, padding, dilation, int(groups), tuple(size))


def _shapes(operation: str, input: Any, weight: Any, bias: Any) -> Sequence[tuple | None]:
    return (
        layout_of_tensor(as_tensor(operation, input)).shape,
        layout_of_tensor(as_tensor(operation, weight)).shape,
        None if bias is None else layout_of_tensor(as_tensor(operation, bias)).shape,
    )


# --------------------------------------------------------------------------------------------------- public
def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """The cross-correlation of images with filters: what networks call a convolution.

    input: (images, channels, height, width), or one image without the first; weight: (filters, channels / groups,
    kernel height, kernel width); bias: (filters,); all float32, or all float64. Numbers for height and width may
    differ: give two. padding: zeros on each side, or 'same' (the output is as large as the input; needs stride 1) or
    'valid' (none). Returns (images, filters, out height, out width), where a length is
    (length + 2 padding - dilation (kernel - 1) - 1) // stride + 1. ValueError where that is less than 1, or shapes
    do not fit.

    >>> from facula_tensor import ones
    >>> conv2d(ones(1, 1, 3, 3), ones(1, 1, 2, 2))
    tensor([[[[4., 4.],
              [4., 4.]]]])

    Dumoulin and Visin, A guide to convolution arithmetic for deep learning, 2016.
    """
    try:
        shapes = _shapes("conv2d", input, weight, bias)
        parameters = _conv2d_parameters(
            *shapes, hashable(stride), hashable(padding), hashable(dilation), hashable(groups)
        )
        if len(shapes[0]) == 3:
            return recording.squeeze(recording.conv2d(recording.unsqueeze(input, 0), weight, bias, parameters), 0)
        return recording.conv2d(input, weight, bias, parameters)
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Tensor:
    """The transpose of the linear map that `conv2d` is, plus a bias: it enlarges where `conv2d` reduces.

    input: (images, channels, height, width), or one image without the first; weight: (channels, filters / groups,
    kernel height, kernel width); bias: (filters,). Returns (images, filters, out height, out width), where a length is
    (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1. ValueError where that is less than
    1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv_transpose2d(ones(1, 1, 2, 2), ones(1, 1, 2, 2))
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
    shapes = _shapes("conv_transpose2d", input, weight, bias)
    parameters = _transposed_parameters(
        *shapes, hashable(stride), hashable(padding), hashable(output_padding), hashable(groups), hashable(dilation)
    )
    images = recording.unsqueeze(input, 0) if len(shapes[0]) == 3 else input
    result = recording.conv2d_input(images, weight, parameters)
    if bias is not None:
        result = recording.add(result, recording.reshape(bias, (-1, 1, 1)))
    return recording.squeeze(result, 0) if len(shapes[0]) == 3 else result
