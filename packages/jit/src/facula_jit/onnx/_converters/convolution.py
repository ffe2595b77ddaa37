"""Converters of convolutions and transposed convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .table import converter

if TYPE_CHECKING:
    from .._nodes import Builder
    from .table import Call


@converter("conv2d")
def _conv(b: Builder, call: Call) -> str:
    stride, padding, dilation, groups, _ = call.parameters
    return b.add(
        "Conv", call.name(0), call.name(1), call.optional(2) or "", kernel_shape=list(call.layout(1).shape[2:]),
        strides=list(stride), pads=[*padding, *padding], dilations=list(dilation), group=groups,
    )  # fmt: skip


@converter("conv2d_input")
def _conv_transposed(b: Builder, call: Call) -> str:
    """Convert a transposed convolution, which is the gradient of a convolution with respect to its input."""
    stride, padding, dilation, groups, size = call.parameters
    kernel = call.layout(1).shape[2:]
    smallest = [
        (given - 1) * step - 2 * pad + spread * (width - 1) + 1
        for given, step, pad, spread, width in zip(call.shape[2:], stride, padding, dilation, kernel, strict=True)
    ]
    return b.add(
        "ConvTranspose", call.name(0), call.name(1), kernel_shape=list(kernel), strides=list(stride),
        pads=[*padding, *padding], dilations=list(dilation), group=groups,
        output_padding=[wanted - least for wanted, least in zip(size, smallest, strict=True)],
    )  # fmt: skip
