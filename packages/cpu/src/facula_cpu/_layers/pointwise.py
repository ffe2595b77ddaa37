"""Plans of convolutions whose results depend on one pixel each, as products of images and weights in place."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import TYPE_CHECKING

from facula_storage import bfloat16

from .._linalg.matmul import plan_product
from .._runtime.planners import Strided
from .._runtime.registry import LEVELS, level

if TYPE_CHECKING:
    from facula_storage import Layout, Plan

    from .._runtime.types import Layouts, Parameters

LEAST_PIXELS = 100


def is_product(
    operator: str,
    inputs: Layouts,
    parameters: Parameters,
    images: tuple[int, ...],
    weights: tuple[int, ...],
    results: tuple[int, ...],
) -> bool:
    """Return whether `plan_pointwise` plans a convolution of these shapes."""
    stride, padding, _, groups = parameters[:4]
    biased = operator == "conv2d" and inputs[2] is not None
    return (
        prod(weights[2:]) == 1
        and {*stride} == {1}
        and not any(padding)
        and not (biased and groups > 1)
        and images[2:] == results[2:]
        and (operator != "conv2d" or inputs[0].dtype is bfloat16 or prod(images[2:]) >= LEAST_PIXELS)
    )


def multiplies_pairs(operator: str, inputs: Layouts, parameters: Parameters) -> bool:
    """Return whether a convolution, or its gradient, is a product of bfloat16 at a level that multiplies pairs of them.

    With strides, it is one of every second pixel, for example.

    >>> from facula_storage import bfloat16, contiguous
    >>> images, weights = contiguous((1, 8, 9, 9), bfloat16), contiguous((8, 8, 3, 3), bfloat16)
    >>> multiplies_pairs("conv2d", (images, weights, None), ((1, 1), (1, 1), (1, 1), 1, (9, 9)))
    False
    """
    if level() != LEVELS[-1] or any([one is not None and one.dtype is not bfloat16 for one in inputs]):
        return False
    given, other = inputs[0], inputs[1]
    if given is None or other is None or len(given.shape) < 4:
        return False
    stride, _, _, groups, size = parameters[:5]
    pixels, weights, results = tuple(size), other.shape, given.shape  # of the images' gradient
    if operator == "conv2d":
        pixels, results = given.shape[2:], (0, 0, *size)
    elif operator == "conv2d_weight":
        pixels, weights = other.shape[2:], (given.shape[1], other.shape[1], *size)
    used = tuple([-(-length // step) for length, step in zip(pixels, stride, strict=True)])
    return (operator != "conv2d_weight" or groups == 1) and is_product(
        operator, inputs, ((1,), *parameters[1:]), (0, 0, *used), weights, results
    )


def plan_pointwise(
    operator: str,
    inputs: Layouts,
    outputs: Layouts,
    parameters: Parameters,
    images: tuple[int, ...],
    weights: tuple[int, ...],
    results: tuple[int, ...],
) -> Plan | None:
    """Plan `conv2d` or `conv2d_input` as a product: its rows are pixels, its batches images and groups.

    Return None if kernels are larger than one element, or have strides or padding, or if groups have a bias, or if the
    images have pixels without results, as transposed convolutions with output padding have. Results of few pixels are
    left to `plan_convolution`, which multiplies several images at once.
    """
    groups = parameters[3]
    if not is_product(operator, inputs, parameters, images, weights, results):
        return None
    return plan_product(operator, inputs, outputs, parameters, partial(views_of, operator, groups))


def views_of(operator: str, groups: int, *arrays: Layout) -> tuple[Layout | Strided | None, ...] | None:
    """Return the matrices of the product for results and operands; None for convolutions of another kind.

    Strides are 1, without padding.
    """
    made, given, others, *further = arrays
    images, results, weights = (given, made, others) if operator == "conv2d" else (made, given, others)
    shape, (filters, channels, *kernel) = images.shape, weights.shape
    area = prod(shape[2:])
    if prod(kernel) != 1 or shape[2:] != results.shape[2:]:
        return None
    filters //= groups
    if operator == "conv2d":
        if area < LEAST_PIXELS and made.dtype is not bfloat16:
            return None
        columns, terms, steps = filters, channels, (1, channels)
    else:
        columns, terms, steps = channels, filters, (channels, 1)
    batch = shape[0], groups
    return (
        Strided((*batch, area, columns), (groups * columns * area, columns * area, 1, area)),
        Strided((*batch, area, terms), (groups * terms * area, terms * area, 1, area)),
        Strided((groups, terms, columns), (filters * channels, *steps)),
        *(further[:1] if operator == "conv2d" else ()),  # the bias
    )
