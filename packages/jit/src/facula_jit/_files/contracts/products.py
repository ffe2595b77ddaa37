"""Contracts of products: matrices, convolutions, attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .shapes import are_sizes, is_flag, is_size, left_out

if TYPE_CHECKING:
    from .declared import Contract, Promise


def matmul(inputs: Any, parameters: Any) -> bool:
    """Accept stacks of matrices, or a vector as one of the operands: the declaration checks shapes."""
    return True


def linear(inputs: Any, parameters: Any) -> bool:
    """Check for rows times a matrix of rows, and a bias: the declaration checks shapes."""
    return bool(inputs[1].ndim == 2)


def linear_weight_grad(inputs: Any, parameters: Any) -> bool:
    """Check for the product g.T @ x."""
    g, x = inputs
    return g.ndim == x.ndim == 2 and g.shape[0] == x.shape[0]


def convolution(images: Any, weights: Any, results: Any, parameters: Any) -> bool:
    """Return True for a convolution of images or volumes; any of the three layouts may be that of the result."""
    stride, padding, dilation, groups, _ = parameters
    flat = images.ndim - 2
    if flat not in (2, 3) or not weights.ndim == results.ndim == images.ndim or not is_size(groups, 1):
        return False
    if not (are_sizes(stride, flat, 1) and are_sizes(padding, flat) and are_sizes(dilation, flat, 1)):
        return False
    if max(*stride, *padding, *dilation) >= 1 << 24 or min(weights.shape[2:]) < 1:
        return False
    fits = [
        # may have one more element after than before
        not count or (count - 1) * step + (kernel - 1) * by + 1 <= size + 2 * before + 1
        for size, count, kernel, step, before, by in zip(
            images.shape[2:], results.shape[2:], weights.shape[2:], stride, padding, dilation, strict=True
        )
    ]
    return (
        all(fits)
        and images.shape[0] == results.shape[0]
        and weights.shape[1] * groups == images.shape[1]
        and weights.shape[0] == results.shape[1]
        and weights.shape[0] % groups == 0
    )


def conv(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for a convolution of images with weights and a bias."""
    (images, weights, bias), (results,) = inputs, outputs
    return left_out(bias, (weights.shape[0],)) and convolution(images, weights, results, parameters)


def conv_input(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for the gradient of the images, from that of the results and the weights."""
    (results, weights), (images,) = inputs, outputs
    return convolution(images, weights, results, parameters)


def conv_weight(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for the gradient of the weights, from that of the results and the images."""
    (results, images), (weights,) = inputs, outputs
    return convolution(images, weights, results, parameters)


def attention(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for attention of queries, keys, values and a mask, with the logarithms of the sums as second result."""
    (q, k, v, mask), (out, sums), (is_causal,) = inputs, outputs, parameters
    batch, length, keys = q.shape[:-2], q.shape[-2], k.shape[-2]
    return (
        is_flag(is_causal)
        and q.ndim == k.ndim == v.ndim >= 2
        and k.shape == (*batch, keys, q.shape[-1])
        and v.shape[:-1] == (*batch, keys)
        and left_out(mask, (*batch, length, keys))
        and out.shape == (*batch, length, v.shape[-1])
        and sums.shape == (*batch, length)
        and out.dtype is q.dtype
        and sums.dtype.is_floating_point
        and sums.dtype.itemsize == max(q.dtype.itemsize, 4)
        and out.is_contiguous
        and sums.is_contiguous
    )


def attention_grad(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for the gradients of queries, keys and values."""
    g, q, k, v, mask, out, sums = inputs
    made = zip(outputs, (q, k, v), strict=True)
    return (
        g.shape == out.shape
        and all([layout.shape == of.shape and layout.dtype is of.dtype and layout.is_contiguous for layout, of in made])
        and attention((q, k, v, mask), (out, sums), parameters)
    )


PROMISES: dict[str, Promise] = {"matmul": matmul, "linear": linear, "linear_weight_grad": linear_weight_grad}
CONTRACTS: dict[str, Contract] = {
    "conv2d": conv,
    "conv2d_input": conv_input,
    "conv2d_weight": conv_weight,
    "attention": attention,
    "attention_grad": attention_grad,
}
