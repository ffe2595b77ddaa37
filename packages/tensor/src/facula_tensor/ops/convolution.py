"""Convolutions in two and three dimensions, and their transposes.

Three operators close under differentiation: `conv2d`, its derivative in the input and its derivative in the weight are
each bilinear, so the rules of each are the other two. Images have four dimensions, volumes five: then all lengths come
in threes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError, FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import contiguous, float32, float64

from .._core.geometry import hashable
from .._core.tensor import Tensor, layout_of_tensor
from .._dispatch.declaration import operator
from .._dispatch.namespaces import recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import in_row_major
from .convolution_geometry import check_dtypes, forward_parameters, shapes_of, transposed_parameters
from .widening import widened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core.types import Operands, Parameters
    from .._dispatch.namespaces import Namespace

__all__ = ["conv2d", "conv3d", "conv_transpose2d", "conv_transpose3d"]

PARAMETERS = ("stride", "padding", "dilation", "groups", "size")  # padding above and left; size of the result


def _ready(F: Namespace, name: str, operands: Operands, parameters: Parameters) -> Tensor | None:
    """The operator of this name on operands in row-major order and a dtype of the kernel; None if they are such."""
    layouts = [layout_of_tensor(one) for one in operands if one is not None]
    first = layouts[0].dtype
    called = name.replace("2d", f"{len(layouts[0].shape) - 2}d")
    if any([layout.dtype is not first for layout in layouts]):
        raise DTypeError(
            f"{called}: expected all in one dtype; got {', '.join([layout.dtype.name for layout in layouts])}; "
            "convert with .to()"
        )
    if first not in (float32, float64):
        return widened(F, name, operands, parameters, called)  # type: ignore[return-value]  # one, of one result
    return in_row_major(F, name, operands, parameters)


@operator
class _conv2d:
    """Each filter's products with the input, at every place."""

    inputs = ("input", "weight", "bias")
    optional = ("bias",)
    parameters = PARAMETERS
    bilinear = ("input", "weight")
    linear = ("bias",)

    def decompose(F, operands, parameters):
        return _ready(F, "conv2d", operands, parameters)

    def outputs(input, weight, bias, stride, padding, dilation, groups, size):
        return contiguous((input.shape[0], weight.shape[0], *size), input.dtype, input.device)

    def batching(F, call):
        input, weight, bias = call.operands
        if call.batched[2]:
            row = F.reshape(bias, (-1, *(1,) * (layout_of_tensor(input).ndim - 2)))
            return F.add(F.conv2d(input, weight, None, call.parameters), row)
        if not call.batched[1]:
            return call.split(call.run((call.rows(input), weight, bias)))
        bias = None if bias is None else call.rows(bias)
        return call.split_channels(call.run((call.channels(input), call.rows(weight), bias), call.grouped()))

    def vjp_input(F, g, weight, input_layout, stride, padding, dilation, groups):
        return F.conv2d_input(g, weight, (stride, padding, dilation, groups, input_layout.shape[2:]))

    def vjp_weight(F, g, input, weight_layout, stride, padding, dilation, groups):
        return F.conv2d_weight(g, input, (stride, padding, dilation, groups, weight_layout.shape[2:]))

    def vjp_bias(F, g):
        return F.sum(g, ((0, *range(2, len(layout_of_tensor(g).shape))), False))


@operator
class _conv2d_input:
    """The gradient of conv2d in its input: the transposed convolution."""

    inputs = ("grad", "weight")
    parameters = PARAMETERS

    def decompose(F, operands, parameters):
        return _ready(F, "conv2d_input", operands, parameters)

    def outputs(grad, weight, stride, padding, dilation, groups, size):
        return contiguous((grad.shape[0], weight.shape[1] * groups, *size), grad.dtype, grad.device)

    def batching(F, call):
        grad, weight = call.operands
        if not call.batched[1]:
            return call.split(call.run((call.rows(grad), weight)))
        return call.split_channels(call.run((call.channels(grad), call.rows(weight)), call.grouped()))

    def vjp_grad(F, g, weight, grad_layout, stride, padding, dilation, groups):
        return F.conv2d(g, weight, None, (stride, padding, dilation, groups, grad_layout.shape[2:]))

    def vjp_weight(F, g, grad, weight_layout, stride, padding, dilation, groups):
        return F.conv2d_weight(grad, g, (stride, padding, dilation, groups, weight_layout.shape[2:]))


@operator
class _conv2d_weight:
    """The gradient of conv2d in its weight."""

    inputs = ("grad", "input")
    parameters = PARAMETERS

    def decompose(F, operands, parameters):
        return _ready(F, "conv2d_weight", operands, parameters)

    def outputs(grad, input, stride, padding, dilation, groups, size):
        return contiguous((grad.shape[1], input.shape[1] // groups, *size), grad.dtype, grad.device)

    def batching(F, call):
        return call.split(call.run(tuple([call.channels(one) for one in call.operands]), call.grouped()))

    def vjp_grad(F, g, input, grad_layout, stride, padding, dilation, groups):
        return F.conv2d(input, g, None, (stride, padding, dilation, groups, grad_layout.shape[2:]))

    def vjp_input(F, g, grad, input_layout, stride, padding, dilation, groups):
        return F.conv2d_input(grad, g, (stride, padding, dilation, groups, input_layout.shape[2:]))


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
    """The cross-correlation of images with filters, called a convolution in networks.

    Half precisions are computed in float32; integers in float64, in which sums up to 2**53 are exact. V. Dumoulin,
    F. Visin: A guide to convolution arithmetic for deep learning, 2016.

    Arguments:
        input: (images, channels, height, width), or one image without the first dimension.
        weight: (filters, channels / groups, kernel height, kernel width), in the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters, one number or (down, across).
        padding: zeros on each side, one number or two; "same", for an output as large as the input; or "valid", none.
        dilation: the distance of a filter's taps, one number or two.
        groups: into how many parts channels and filters are divided; each part of filters sees one of channels.

    Returns:
        (images, filters, out height, out width), where an out length is
        (length + 2 padding - dilation (kernel - 1) - 1) // stride + 1.

    Raises:
        ValueError: where a length would be less than 1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv2d(ones(1, 1, 3, 3), ones(1, 1, 2, 2))
    tensor([[[[4., 4.],
              [4., 4.]]]])

    Dumoulin and Visin, A guide to convolution arithmetic for deep learning, 2016.
    """
    try:
        shapes = shapes_of("conv2d", input, weight, bias)
        parameters = forward_parameters(
            2, *shapes, hashable(stride), hashable(padding), hashable(dilation), hashable(groups)
        )
        if len(shapes[0]) == 3:
            return recorded_ops.squeeze(
                recorded_ops.conv2d(recorded_ops.unsqueeze(input, 0), weight, bias, parameters), 0
            )
        return recorded_ops.conv2d(input, weight, bias, parameters)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@boundary
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] | str = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:
    """The cross-correlation of volumes with filters.

    Arguments:
        input: (volumes, channels, depth, height, width), or one volume without the first dimension.
        weight: (filters, channels / groups, kernel depth, kernel height, kernel width), in the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters, one number or three.
        padding: zeros on each side, one number or three; or "same" or "valid", as in `conv2d`.
        dilation: the distance of a filter's taps, one number or three.
        groups: into how many parts channels and filters are divided.

    Returns:
        (volumes, filters, out depth, out height, out width), lengths as in `conv2d`.

    >>> from facula_tensor import ones
    >>> conv3d(ones(1, 1, 2, 2, 3), ones(1, 1, 2, 2, 2))
    tensor([[[[[8., 8.]]]]])
    """
    shapes = shapes_of("conv3d", input, weight, bias)
    check_dtypes("conv3d", input, weight, bias)
    parameters = forward_parameters(
        3, *shapes, hashable(stride), hashable(padding), hashable(dilation), hashable(groups)
    )
    if len(shapes[0]) == 4:
        return recorded_ops.squeeze(recorded_ops.conv2d(recorded_ops.unsqueeze(input, 0), weight, bias, parameters), 0)
    return recorded_ops.conv2d(input, weight, bias, parameters)


def _transposed(name: str, dims: int, input: Tensor, weight: Tensor, bias: Tensor | None, *geometry: object) -> Tensor:
    """A transposed convolution of `dims` dimensions; `geometry` is that of `transposed_parameters`, unchecked."""
    shapes = shapes_of(name, input, weight, bias)
    check_dtypes(name, input, weight, bias)
    parameters = transposed_parameters(dims, *shapes, *[hashable(one) for one in geometry])
    alone = len(shapes[0]) == dims + 1
    result = recorded_ops.conv2d_input(recorded_ops.unsqueeze(input, 0) if alone else input, weight, parameters)
    if bias is not None:
        result = recorded_ops.add(result, recorded_ops.reshape(bias, (-1, *(1,) * dims)))
    return recorded_ops.squeeze(result, 0) if alone else result


@overridable
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

    Arguments:
        input: (images, channels, height, width), or one image without the first dimension.
        weight: (channels, filters / groups, kernel height, kernel width), in the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters over the output, one number or two.
        padding: what is cut from each side of the output, one number or two.
        output_padding: how much longer the output is at its ends, one number or two, less than stride or dilation.
        groups: into how many parts channels and filters are divided.
        dilation: the distance of a filter's taps, one number or two.

    Returns:
        (images, filters, out height, out width), where an out length is
        (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

    Raises:
        ValueError: where a length would be less than 1, or shapes do not fit.

    >>> from facula_tensor import ones
    >>> conv_transpose2d(ones(1, 1, 2, 2), ones(1, 1, 2, 2))
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
    return _transposed("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


@overridable
@boundary
def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
) -> Tensor:
    """The transpose of the linear map that `conv3d` is, plus a bias.

    Arguments:
        input: (volumes, channels, depth, height, width), or one volume without the first dimension.
        weight: (channels, filters / groups, kernel depth, kernel height, kernel width), in the dtype of `input`.
        bias: (filters,), or None.
        stride: the steps of the filters over the output, one number or three.
        padding: what is cut from each side of the output, one number or three.
        output_padding: how much longer the output is at its ends, one number or three, less than stride or dilation.
        groups: into how many parts channels and filters are divided.
        dilation: the distance of a filter's taps, one number or three.

    Returns:
        (volumes, filters, out depth, out height, out width), lengths as in `conv_transpose2d`.

    >>> from facula_tensor import ones
    >>> conv_transpose3d(ones(1, 1, 1, 1, 2), ones(1, 1, 1, 2, 2))
    tensor([[[[[1., 2., 1.],
               [1., 2., 1.]]]]])
    """
    return _transposed("conv_transpose3d", 3, input, weight, bias, stride, padding, output_padding, groups, dilation)
