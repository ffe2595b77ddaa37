"""Converters of pooling with windows of a fixed size, and of adaptive pooling."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from facula_storage import float64, int64
from facula_storage.extend.layouts import FLOATING

from .resampling import matrix_product
from .table import converter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._nodes import Builder
    from .table import Call


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
    made, places = _maxima(b, call, 2)
    if places is None:
        return [made, None]
    inside = b.add("Mod", places, b.number(prod(call.shape[-2:]), int64))  # ONNX's indices count through all planes
    return [made, _back(b, call, inside)]


@converter("max_pool2d_values")
def _max_pool_values(b: Builder, call: Call) -> str:
    return _maxima(b, call, 1)[0]


def _maxima(b: Builder, call: Call, results: int) -> tuple[str, str | None]:
    """Return the maxima, and their indices among all elements if there are two results and ONNX has such windows."""
    geometry, size = call.parameters
    if geometry is None:
        (height, width), (rows, columns) = call.shape[-2:], size
        if height % rows or width % columns:
            return _greatest(b, call, size), None
        kernel = (height // rows, width // columns)
        geometry = kernel, kernel, (0, 0), (1, 1)
    kernel, stride, padding, dilation = geometry
    spread = [step * (width - 1) + 1 for step, width in zip(dilation, kernel, strict=True)]
    made, *places = b.add_many(
        "MaxPool", _as_images(b, call), results=results, kernel_shape=list(kernel), strides=list(stride),
        pads=[*padding, *ends(call, spread, stride, padding)], dilations=list(dilation),
    )  # fmt: skip
    made = _back(b, call, made)
    made = made if call.dtype.category == FLOATING else b.cast(made, call.dtype)
    return made, places[0] if places else None


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
            name = matrix_product(b, call.dtype, name, ndim, axis, matrix)
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
