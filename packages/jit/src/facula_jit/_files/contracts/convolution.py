"""Contracts of convolutions and their gradients."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from facula_storage import contiguous

from .shapes import are_sizes, is_size, left_out

if TYPE_CHECKING:
    from .declared import Contract

STEPS = (("relu",), ("max_pool2d",), ("max_pool2d", "relu"))


def convolution(images: Any, weights: Any, results: Any, parameters: Any) -> bool:
    """Return True for a convolution of images or volumes; any of the three layouts may be that of the result."""
    stride, padding, dilation, groups, _, *algorithm = parameters
    flat = images.ndim - 2
    if len(algorithm) > 1 or any([name not in ("fast", "direct") for name in algorithm]):
        return False
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


def conv_then(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for a convolution of images with further steps."""
    (images, weights, bias, *norm), (made,) = inputs, outputs
    size, steps, *algorithm = parameters[4:]
    if norm:
        steps = _after_norm(norm, (weights.shape[0],), steps)
    if not are_sizes(size, 2, 1) or not (steps in STEPS or (norm and steps == ())) or len(made.shape) != 4:
        return False
    if made.shape[2:] != (tuple([length // 2 for length in size]) if "max_pool2d" in steps else size):
        return False
    results = contiguous((*made.shape[:2], *size), made.dtype)
    return conv((images, weights, bias), (results,), (*parameters[:5], *algorithm))


def _after_norm(operands: Any, shape: tuple[int, ...], steps: Any) -> Any:
    """Return the steps after batch normalization, or None if the operands or the first step do not fit."""
    if len(operands) != 4 or type(steps) is not tuple or not steps or type(steps[0]) is not tuple or len(steps[0]) != 2:
        return None
    (scale, shift, mean, variance), (name, epsilon) = operands, steps[0]
    if name != "batch_norm" or type(epsilon) is not float or not 0 <= epsilon < inf:
        return None
    given = left_out(scale, shape) and left_out(shift, shape) and None not in (mean, variance)
    return steps[1:] if given and mean.shape == variance.shape == shape else None


def conv_input(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for the gradient of the images, from that of the results and the weights."""
    (results, weights), (images,) = inputs, outputs
    return convolution(images, weights, results, parameters)


def conv_weight(inputs: Any, outputs: Any, parameters: Any) -> bool:
    """Check for the gradient of the weights, from that of the results and the images."""
    (results, images), (weights,) = inputs, outputs
    return convolution(images, weights, results, parameters)


CONTRACTS: dict[str, Contract] = {
    "conv2d": conv,
    "conv2d_input": conv_input,
    "conv2d_then": conv_then,
    "conv2d_weight": conv_weight,
}
