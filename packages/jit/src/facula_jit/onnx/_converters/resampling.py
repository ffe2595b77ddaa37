"""Converters of weighted sums along a dimension: resizing, replicated padding, adaptive means, grid sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage import float32, int64

from .table import converter

if TYPE_CHECKING:
    from facula_storage import DType

    from .._nodes import Builder
    from .table import Call

FEW_TAPS = 4  # maximum number of elements of a sum that are gathered separately


@converter("resample")
def _resample(b: Builder, call: Call) -> str:
    """Convert weighted sums along one or two dimensions."""
    dim, taps, columns, columns_first = call.parameters
    name, ndim, dtype = call.name(0), len(call.shape), call.dtype
    steps = [(dim, taps)] if columns is None else [(dim, taps), (dim + 1, columns)]
    for at, matrix in reversed(steps) if columns_first else steps:
        name = _weighted_sums(b, name, ndim, dtype, at, matrix)
    return name


def _weighted_sums(b: Builder, name: str, ndim: int, dtype: DType, dim: int, taps: Any) -> str:
    """Convert sums along a dimension: a few elements are gathered separately, more are a matrix product."""
    resized = _resized(b, name, dtype, dim, taps)
    if resized is not None:
        return resized
    counts = np.diff(taps.starts)
    width = int(counts.max(initial=0))
    if width > FEW_TAPS:
        matrix = np.zeros((taps.count, taps.length))
        np.add.at(matrix, (np.repeat(np.arange(taps.count), counts), taps.places), taps.weights)
        return matrix_product(b, dtype, name, ndim, dim, matrix)
    places, weights = np.zeros((width, taps.count), np.int64), np.zeros((width, taps.count))
    for place, start in enumerate(taps.starts[:-1]):
        here = slice(start, start + counts[place])
        places[: counts[place], place], weights[: counts[place], place] = taps.places[here], taps.weights[here]
    total = ""
    for place, weight in zip(places, weights, strict=True):
        part = b.add("Gather", name, b.constant(place), axis=dim)
        if (weight != 1).any():
            shaped = weight.astype(dtype.numpy).reshape(-1, *[1] * (ndim - 1 - dim))
            part = b.add("Mul", part, b.constant(shaped))
        total = b.add("Add", total, part) if total else part
    return total


def _resized(b: Builder, name: str, dtype: DType, dim: int, taps: Any) -> str | None:
    """Return a Resize node for an `interpolate` along a dimension; None if no node has the same result."""
    mode, scale, align = taps.resizing or ("area", None, False)
    if mode.startswith("nearest"):  # in single precision, so that it selects the same elements
        length, count = [b.cast(b.number(number, int64), float32) for number in (taps.length, taps.count)]
        at = b.add("Range", b.number(0, float32), count, b.number(1, float32))
        if mode == "nearest-exact":
            at = b.add("Add", at, b.number(0.5, float32))
        step = b.add("Div", length, count) if scale is None else b.number(1 / scale, float32)
        places = b.add("Floor", b.add("Mul", at, step))
        last = b.add("Sub", length, b.number(1, float32))
        return b.add("Gather", name, b.cast(b.add("Min", places, last), int64), axis=dim)
    factor = np.float32(scale or 1)
    if mode == "area" or dtype is not float32 or (scale and int(np.float32(taps.length) * factor) != taps.count):
        return None
    sizes = [b.constant(factor.reshape(1))] if scale else ["", b.integers(taps.count)]
    return b.add(
        "Resize", name, "", *sizes, axes=[dim], mode="cubic" if mode == "bicubic" else "linear", cubic_coeff_a=-0.75,
        coordinate_transformation_mode="align_corners" if align else "half_pixel",
    )  # fmt: skip


def matrix_product(b: Builder, dtype: DType, name: str, ndim: int, axis: int, matrix: np.ndarray) -> str:
    """Return the product of a matrix and each line along an axis."""
    if axis == ndim - 2:
        return b.add("MatMul", b.constant(matrix.astype(dtype.numpy)), name)
    turned = b.constant(np.ascontiguousarray(matrix.T).astype(dtype.numpy))
    if axis == ndim - 1:
        return b.add("MatMul", name, turned)
    order = [dim for dim in range(ndim) if dim != axis] + [axis]
    made = b.add("MatMul", b.add("Transpose", name, perm=order), turned)
    return b.add("Transpose", made, perm=[order.index(dim) for dim in range(ndim)])


@converter("gather_taps")
def _gather_taps(b: Builder, call: Call) -> str:
    """Convert sums of a few elements at computed positions, as in grid sampling.

    Positions outside contribute 0.
    """
    images, channels, length = call.shape
    _, taps, count = call.layout(1).shape
    first, zero = call.name(2), b.number(0, int64)
    inside = b.add("And", b.add("GreaterOrEqual", first, zero), b.add("Less", first, b.number(length, int64)))
    places = b.reshape(b.add("Where", inside, first, zero), (images, 1, taps * count))
    places = b.add("Expand", places, b.integers(images, channels, taps * count))
    taken = b.reshape(b.add("GatherElements", call.name(0), places, axis=2), (images, channels, taps, count))
    weights = b.add("Where", inside, call.name(1), b.number(0, call.dtype))
    weights = b.reshape(weights, (images, 1, taps, count))
    return b.reduce("ReduceSum", b.add("Mul", taken, weights), (2,), False)
