"""Converters of products, convolutions and attention."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from facula_storage import bool_

from .._nodes import widened
from .table import converter

if TYPE_CHECKING:
    from .._nodes import Builder
    from .table import Call


@converter("matmul")
def _matmul(b: Builder, call: Call) -> str:
    """Convert a product; vectors are converted to matrices, because onnxruntime mishandles a vector and a transposed
    matrix.
    """
    dtype = call.layout().dtype
    taken = widened(dtype)
    x, y = b.cast(call.name(0), taken, dtype), b.cast(call.name(1), taken, dtype)
    is_row, is_column = len(call.shape) == 1, len(call.layout(1).shape) == 1
    x = b.add("Unsqueeze", x, b.integers(0)) if is_row else x
    y = b.add("Unsqueeze", y, b.integers(1)) if is_column else y
    made = b.add("MatMul", x, y)
    made = b.add("Squeeze", made, b.integers(-1)) if is_column else made
    made = b.add("Squeeze", made, b.integers(-1 if is_column else -2)) if is_row else made
    return b.cast(made, dtype, taken)


@converter("linear")
def _linear(b: Builder, call: Call) -> str:
    """Convert x @ weight.T + bias: one node for vectors; a runtime transposes the weight once, when it loads the
    model.
    """
    x, weight, bias = call.name(0), call.name(1), call.optional(2)
    if len(call.shape) == 2:
        return b.add("Gemm", x, weight, bias or "", transB=1)
    made = b.add("MatMul", x, b.add("Transpose", weight, perm=[1, 0]))
    return b.add("Add", made, bias) if bias else made


@converter("det")
def _det(b: Builder, call: Call) -> str:
    return b.add("Det", call.name(0))


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


@converter("attention")
def _attention(b: Builder, call: Call) -> list[str | None]:
    """Convert softmax(scale query @ key.T + mask) @ value; rows that are masked completely are 0."""
    query, key, value, mask = call.name(0), call.name(1), call.name(2), call.optional(3)
    dtype, ndim = call.dtype, len(call.shape)
    length, keys = call.shape[-2], call.layout(1).shape[-2]
    scale, share = call.numbers[:2]
    if share:
        raise call.refuse("dropout draws random numbers", "call model.eval() first")
    turned = b.add("Transpose", key, perm=[*range(ndim - 2), ndim - 1, ndim - 2])
    scores = b.add("MatMul", b.add("Mul", query, b.number(scale, dtype)), turned)
    nothing = b.number(-inf, dtype)
    is_masked = bool(call.parameters[0])
    if is_masked:
        seen = b.add("Trilu", b.add("Expand", b.constant(np.array(1, np.float32)), b.integers(length, keys)), upper=0)
        scores = b.add("Where", b.cast(seen, bool_), scores, nothing)
    if mask is not None and call.layout(3).dtype is bool_:
        scores, is_masked = b.add("Where", mask, scores, nothing), True
    elif mask is not None:
        given = mask if call.layout(3).dtype is dtype else b.cast(mask, dtype)
        scores, is_masked = b.add("Add", scores, given), True
    shares = b.add("Softmax", scores, axis=-1)
    if mask is not None:
        shares = b.add("Where", b.add("IsNaN", shares), b.number(0, dtype), shares)
    return [b.add("MatMul", shares, value), None]
