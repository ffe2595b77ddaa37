"""Converters of pooling, and of weighted sums along a dimension: resizing, replicated padding, adaptive means."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage import float32, float64, int64
from facula_storage.extend import FLOATING

from .table import converter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_storage import DType

    from .._nodes import Builder
    from .table import Call

FEW_TAPS = 4  # maximum number of elements of a sum that are gathered separately


def ends(call: Call, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int]) -> list[int]:
    """Return the end padding for which the number of windows equals the size of the result."""
    sizes = zip(call.shape[-2:], call.results[0].shape[-2:], kernel, stride, padding, strict=True)
    return [max((made - 1) * step + width - size - pad, 0) for size, made, width, step, pad in sizes]


def adaptive_windows(size: int, made: int) -> list[tuple[int, int]]:
    """Return the bounds of windows that divide `size` as evenly as possible."""
    return [(place * size // made, -(-(place + 1) * size // made)) for place in range(made)]


def _as_images(b: Builder, call: Call) -> str:
    """Add missing dimensions of samples and channels to the operand, which nodes require."""
    name, shape = call.name(0), call.shape
    if call.dtype.category != FLOATING:
        name = b.cast(name, float64)
    return name if len(shape) == 4 else b.reshape(name, (1, prod(shape[:-2]), *shape[-2:]))


def _back(b: Builder, call: Call, name: str) -> str:
    """Return a result in its own shape."""
    return name if len(call.shape) == 4 else b.reshape(name, call.results[0].shape)


@converter("max_pool2d")
def _max_pool(b: Builder, call: Call) -> list[str | None]:
    geometry, size = call.parameters
    if geometry is None:
        (height, width), (rows, columns) = call.shape[-2:], size
        if height % rows or width % columns:
            return [_greatest(b, call, size), None]
        kernel = (height // rows, width // columns)
        geometry = kernel, kernel, (0, 0), (1, 1)
    kernel, stride, padding, dilation = geometry
    spread = [step * (width - 1) + 1 for step, width in zip(dilation, kernel, strict=True)]
    made, places = b.add_many(
        "MaxPool", _as_images(b, call), results=2, kernel_shape=list(kernel), strides=list(stride),
        pads=[*padding, *ends(call, spread, stride, padding)], dilations=list(dilation),
    )  # fmt: skip
    inside = b.add("Mod", places, b.number(prod(call.shape[-2:]), int64))  # ONNX's indices count through all planes
    made = _back(b, call, made)
    return [made if call.dtype.category == FLOATING else b.cast(made, call.dtype), _back(b, call, inside)]


def _greatest(b: Builder, call: Call, size: Sequence[int]) -> str:
    """Return the maximum of windows of different sizes, along one dimension after the other."""
    name, ndim = call.name(0), len(call.shape)
    for axis, made in zip((ndim - 2, ndim - 1), size, strict=True):
        parts = [
            b.reduce("ReduceMax", b.slice(name, axis, start, stop), (axis,), True)
            for start, stop in adaptive_windows(call.shape[axis], made)
        ]
        name = b.add("Concat", *parts, axis=axis)
    return name


@converter("avg_pool2d")
def _avg_pool(b: Builder, call: Call) -> str:
    geometry, size = call.parameters
    ndim = len(call.shape)
    (height, width), (rows, columns) = call.shape[-2:], size
    if geometry is None and (rows, columns) == (1, 1):
        return b.reduce("ReduceMean", call.name(0), (ndim - 2, ndim - 1), True)
    if geometry is None and (height % rows or width % columns):
        name = call.name(0)
        for axis, made in ((ndim - 2, rows), (ndim - 1, columns)):
            matrix = np.zeros((made, call.shape[axis]))
            for place, (start, stop) in enumerate(adaptive_windows(call.shape[axis], made)):
                matrix[place, start:stop] = 1 / (stop - start)
            name = _product(b, call.dtype, name, ndim, axis, matrix)
        return name
    if geometry is None:
        kernel = (height // rows, width // columns)
        geometry = kernel, kernel, (0, 0), True, None
    kernel, stride, padding, counts_padding, divisor = geometry
    made = b.add(
        "AveragePool", _as_images(b, call), kernel_shape=list(kernel), strides=list(stride),
        pads=[*padding, *ends(call, kernel, stride, padding)], count_include_pad=0,
    )  # fmt: skip
    shares = [
        _inside(*pair, counts_padding or divisor is not None)
        for pair in zip(call.shape[-2:], size, kernel, stride, padding, strict=True)
    ]
    factor = np.outer(*[inside / counted for inside, counted in shares])
    if divisor is not None:
        factor = np.outer(*[inside for inside, _ in shares]) / divisor
    if (factor != 1).any():
        made = b.add("Mul", made, b.constant(factor.astype(call.dtype.numpy)))
    return _back(b, call, made)


def _inside(
    size: int, made: int, kernel: int, stride: int, padding: int, counts_padding: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of elements of each window inside the plane, and the number for the divisor: with or without
    padding.
    """
    starts = np.arange(made) * stride - padding
    inside = np.minimum(starts + kernel, size) - np.maximum(starts, 0)
    return inside, np.minimum(starts + kernel, size + padding) - starts if counts_padding else inside


@converter("resample")
def _resample(b: Builder, call: Call) -> str:
    """Convert weighted sums along a dimension: a few elements are gathered separately, more are a matrix product."""
    dim, taps = call.parameters
    name, ndim, dtype = call.name(0), len(call.shape), call.dtype
    resized = _resized(b, name, dtype, dim, taps)
    if resized is not None:
        return resized
    counts = np.diff(taps.starts)
    width = int(counts.max(initial=0))
    if width > FEW_TAPS:
        matrix = np.zeros((taps.count, taps.length))
        np.add.at(matrix, (np.repeat(np.arange(taps.count), counts), taps.places), taps.weights)
        return _product(b, dtype, name, ndim, dim, matrix)
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


def _product(b: Builder, dtype: DType, name: str, ndim: int, axis: int, matrix: np.ndarray) -> str:
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
