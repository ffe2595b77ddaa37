"""Plans of convolutions whose results depend on one pixel each, as products of images and weights in place."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .._linalg.matmul import collapse_batch, plan_product

if TYPE_CHECKING:
    from facula_storage import Plan

    from .._runtime.types import Layouts, Parameters

LEAST_PIXELS = 100


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
    stride, padding, _, groups = parameters[:4]
    biased = operator == "conv2d" and inputs[2] is not None
    if (
        prod(weights[2:]) != 1
        or {*stride} != {1}
        or any(padding)
        or (biased and groups > 1)
        or images[2:] != results[2:]
    ):
        return None
    area, filters, channels = prod(images[2:]), weights[0] // groups, weights[1]
    if operator == "conv2d" and area < LEAST_PIXELS:
        return None
    if operator == "conv2d":
        columns, terms, steps = filters, channels, (1, channels)
    else:
        columns, terms, steps = channels, filters, (channels, 1)
    batch = [
        (images[0], groups * terms * area, 0, groups * columns * area),
        (groups, terms * area, filters * channels, columns * area),
    ]
    return plan_product(
        operator,
        inputs,
        outputs,
        parameters,
        (area, columns, terms),
        (1, area, *steps, 1, area),
        collapse_batch([dim for dim in batch if dim[0] != 1]),
    )
