"""Convolutions in one, two and three dimensions, and their transposes.

The three operators `conv2d`, its input gradient and its weight gradient are bilinear and closed under differentiation:
the rules of each are the other two. Images have four dimensions, volumes five, with lengths in threes. Sequences are
images of height 1.
"""

# ruff: noqa: F401  imports generated functions into this module
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from facula_errors import DTypeError
from facula_storage import DType, bfloat16, contiguous, float64
from facula_storage.extend.layouts import COMPLEX

from ..._core.tensor import layout_of_tensor
from ..._dispatch.conversions import exact
from ..._dispatch.declaration import operator
from ..._dispatch.written import function
from ..._forms.ops.neural.convolution import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from ..shape.slicing import window_of
from .convolution_geometry import forward_parameters, transposed_parameters, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.tensor import Tensor
    from ..._core.types import Operands, Parameters
    from ..._dispatch.kinds import Numbers
    from ..._dispatch.namespaces import Namespace

PARAMETERS = ("stride", "padding", "dilation", "groups", "size")  # padding above and left; size of the result


COMPUTE_DTYPE = exact(float64)


def in_one_dtype(*dtypes: DType | None) -> DType:
    """Return the dtype in which the kernels compute; TypeError unless all operands have the same dtype."""
    given = [dtype for dtype in dtypes if dtype is not None]
    if len({*given}) > 1:
        raise DTypeError(
            f"convolution: expected all in one dtype; got {', '.join([dtype.name for dtype in given])}; "
            "convert with .to()"
        )
    return given[0] if given[0].category == COMPLEX else COMPUTE_DTYPE(given[0])


def _per_channel(F: Namespace, bias: Tensor, images: Tensor) -> Tensor:
    """Return a number for each channel in a shape that broadcasts with images."""
    return F.reshape(bias, (-1, *(1,) * (layout_of_tensor(images).ndim - 2)))


def _of_parts(F: Namespace, operator: str, operands: Operands, parameters: Parameters) -> Tensor | None:
    """Compute a convolution of complex operands from those of real and imaginary parts; None for real operands."""
    if layout_of_tensor(operands[0]).dtype.category != COMPLEX:
        return None
    (a, a_i), (b, b_i) = [(F.contiguous(F.real_view(x)), F.contiguous(F.imag_view(x))) for x in operands[:2]]

    def run(x: Tensor, y: Tensor) -> Tensor:
        return getattr(F, operator)(x, y, *(None,) * len(operands[2:]), parameters)

    made = F.from_parts(F.sub(run(a, b), run(a_i, b_i)), F.add(run(a, b_i), run(a_i, b)))
    for bias in operands[2:]:
        made = made if bias is None else F.add(made, _per_channel(F, bias, made))
    return made


def _on_pairs(operator: str, *arguments: Any) -> bool:
    """Return whether the kernels compute these operands and parameters in bfloat16."""
    inputs, parameters = arguments[:-5], arguments[-5:]
    if inputs[0].dtype is not bfloat16 or inputs[0].device.type != "cpu":
        return False
    from facula_cpu.extend import multiplies_pairs  # `import facula` does not load it

    return multiplies_pairs(operator, inputs, parameters)


def _used_pixels(F: Namespace, images: Tensor, stride: Sequence[int]) -> Tensor:
    """Return the pixels of images that filters of one element read."""
    for dim, step in enumerate(stride, 2):
        if step > 1:
            images = F.slice(images, dim, 0, layout_of_tensor(images).shape[dim], step)
    return images


def _is_strided(operand: Tensor, stride: Sequence[int]) -> bool:
    """Return whether a call, which may be a product of bfloat16, is one of some pixels of images."""
    return layout_of_tensor(operand).dtype is bfloat16 and any([step > 1 for step in stride])


@operator
class _conv2d:
    """Multiply and sum each filter with the input, at every position."""

    inputs = ("input", "weight", "bias")
    optional = ("bias",)
    parameters = PARAMETERS
    varying = ("size",)
    bilinear = ("input", "weight")
    linear = ("bias",)
    compute_dtype = in_one_dtype
    unconverted_if = partial(_on_pairs, "conv2d")
    row_major = True

    def decompose(F, operands, parameters):
        input, weight, bias = operands
        stride, *rest = parameters
        if not _is_strided(input, stride):
            return _of_parts(F, "conv2d", operands, parameters)
        return F.conv2d(_used_pixels(F, input, stride), weight, bias, ((1,) * len(stride), *rest))

    def outputs(input, weight, bias, stride, padding, dilation, groups, size):
        return contiguous((input.shape[0], weight.shape[0], *size), input.dtype, input.device)

    def batching(F, call):
        input, weight, bias = call.operands
        if call.batched[2]:
            return F.add(F.conv2d(input, weight, None, call.parameters), _per_channel(F, bias, input))
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
    """Compute the input gradient of conv2d: the transposed convolution."""

    inputs = ("grad", "weight")
    parameters = PARAMETERS
    varying = ("size",)
    compute_dtype = in_one_dtype
    unconverted_if = partial(_on_pairs, "conv2d_input")
    row_major = True

    def decompose(F, operands, parameters):
        stride, *rest, size = parameters
        if not _is_strided(operands[0], stride):
            return _of_parts(F, "conv2d_input", operands, parameters)
        made = F.conv2d_input(*operands, ((1,) * len(stride), *rest, layout_of_tensor(operands[0]).shape[2:]))
        for dim, (step, length) in enumerate(zip(stride, size, strict=True), 2):
            layout = layout_of_tensor(made)
            shape = (*layout.shape[:dim], length, *layout.shape[dim + 1 :])
            whole = contiguous(shape, layout.dtype, layout.device)
            made = F.part_back(made, whole, *window_of("slice", whole, dim, 0, length, step))
        return made

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
    """Compute the weight gradient of conv2d."""

    inputs = ("grad", "input")
    parameters = PARAMETERS
    varying = ("size",)
    compute_dtype = in_one_dtype
    unconverted_if = partial(_on_pairs, "conv2d_weight")
    row_major = True

    def decompose(F, operands, parameters):
        if layout_of_tensor(operands[0]).dtype is not bfloat16:
            return _of_parts(F, "conv2d_weight", operands, parameters)
        # A product, whose sums are over all pixels of all images.
        both = operands[0], _used_pixels(F, operands[1], parameters[0])
        rows = [F.reshape(F.transpose(operand, 0, 1), (layout_of_tensor(operand).shape[1], -1)) for operand in both]
        shape = (rows[0].shape[0], rows[1].shape[0], *parameters[4])
        return F.reshape(F.matmul(rows[0], F.mT(rows[1])), shape)

    def outputs(grad, input, stride, padding, dilation, groups, size):
        return contiguous((grad.shape[1], input.shape[1] // groups, *size), grad.dtype, grad.device)

    def batching(F, call):
        return call.split(call.run(tuple([call.channels(operand) for operand in call.operands]), call.grouped()))

    def vjp_grad(F, g, input, grad_layout, stride, padding, dilation, groups):
        return F.conv2d(input, g, None, (stride, padding, dilation, groups, grad_layout.shape[2:]))

    def vjp_input(F, g, grad, input_layout, stride, padding, dilation, groups):
        return F.conv2d_input(grad, g, (stride, padding, dilation, groups, input_layout.shape[2:]))


# --------------------------------------------------------------------------------------------------- public
ALGORITHM = """

        On the CPU, float32 convolutions with 3 x 3 or 5 x 5 filters, stride 1, dilation 1 and at least 16 channels and
        filters per group use Winograd's algorithm, as do their gradients. Errors (root mean squares, as a fraction of
        that of the results) are about 1e-6, and 3e-7 for direct sums. An infinite or NaN element makes all results NaN
        in tiles of 4 x 4 (for 5 x 5 filters, 2 x 2) around it. `facula.backends.cpu.convolution = "direct"` selects
        direct sums. A. Lavin, S. Gray: Fast Algorithms for Convolutional Neural Networks, 2016."""


def convolutions(dims: int) -> None:
    """Declare the convolution of sequences (1), images (2) or volumes (3), and its transpose."""
    name, transposed_name = f"conv{dims}d", f"conv_transpose{dims}d"

    @function(name=name, words={**words(dims), "algorithm": ALGORITHM if dims == 2 else ""}, overridable=dims != 2)
    def convolved(
        F: Namespace,
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Numbers = 1,
        padding: int | Sequence[int] | str = 0,
        dilation: Numbers = 1,
        groups: int = 1,
    ) -> Tensor:
        """Compute the cross-correlation of {images} with filters, called a convolution in networks.

        Half precisions are computed in float32; integers in float64, in which sums up to 2**53 are exact. Those of
        complex numbers are computed from convolutions of their parts. V. Dumoulin, F. Visin: A guide to
        convolution arithmetic for deep learning, 2016.{algorithm}

        Arguments:
            input: ({images}, channels, {lengths}), or without the first dimension.
            weight: (filters, channels / groups, {kernel}), with the dtype of `input`.
            bias: (filters,), or None.
            stride: the steps of the filters: one number, or one for each dimension.
            padding: zeros on each side, likewise; "same" for an output as large as the input; or "valid" for none.
            dilation: the distance between a filter's taps, likewise.
            groups: the number of groups of channels and filters; filters of a group see only its channels.

        Returns:
            ({images}, filters, {out}), where an out length is
            (length + 2 padding - dilation (kernel - 1) - 1) // stride + 1.

        Raises:
            ValueError: if a length would be less than 1, or shapes do not fit.

        >>> from facula_tensor import ones
        >>> conv{dims}d(ones(1, 1{twos}), ones(1, 1{twos})).item()
        {count}.0
        """
        operands = (input, weight) if bias is None else (input, weight, bias)
        parameters, alone = forward_parameters(name, operands, dims, stride, padding, dilation, groups)
        if dims == 1:
            input, weight = F.unsqueeze(input, -2), F.unsqueeze(weight, -2)
        made = F.conv2d(F.unsqueeze(input, 0) if alone else input, weight, bias, parameters)
        if dims == 1:
            made = F.squeeze(made, -2)
        return F.squeeze(made, 0) if alone else made

    @function(name=transposed_name, words=words(dims), overridable=True)
    def transposed(
        F: Namespace,
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Numbers = 1,
        padding: Numbers = 0,
        output_padding: Numbers = 0,
        groups: int = 1,
        dilation: Numbers = 1,
    ) -> Tensor:
        """Compute the transpose of the linear map `conv{dims}d`, plus a bias: it enlarges what `conv{dims}d` reduces.

        Arguments:
            input: ({images}, channels, {lengths}), or without the first dimension.
            weight: (channels, filters / groups, {kernel}), with the dtype of `input`.
            bias: (filters,), or None.
            stride: the steps of the filters over the output: one number, or one for each dimension.
            padding: the number of elements removed from each side of the output, likewise.
            output_padding: additional length at the output's ends, likewise; less than stride or dilation.
            groups: the number of groups of channels and filters.
            dilation: the distance between a filter's taps: one number, or one for each dimension.

        Returns:
            ({images}, filters, {out}), where an out length is
            (length - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

        Raises:
            ValueError: if a length would be less than 1, or shapes do not fit.

        >>> from facula_tensor import ones
        >>> conv_transpose{dims}d(ones(1, 1{ones}), ones(1, 1{twos})).shape
        facula.Size([1, 1{twos}])
        """
        operands = (input, weight) if bias is None else (input, weight, bias)
        parameters, alone = transposed_parameters(
            transposed_name, operands, dims, stride, padding, output_padding, groups, dilation
        )
        if dims == 1:
            input, weight = F.unsqueeze(input, -2), F.unsqueeze(weight, -2)
        made = F.conv2d_input(F.unsqueeze(input, 0) if alone else input, weight, parameters)
        if dims == 1:
            made = F.squeeze(made, -2)
        if bias is not None:
            made = F.add(made, F.reshape(bias, (-1, *(1,) * dims)))
        return F.squeeze(made, 0) if alone else made


for dims in (1, 2, 3):
    convolutions(dims)
