"""Converters of normalization, softmax, and classification losses."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from .table import converter, family

if TYPE_CHECKING:
    from .._nodes import Builder
    from .table import Call


def _ones(b: Builder, call: Call, shape: tuple[int, ...]) -> str:
    return b.constant(np.ones(shape, call.dtype.numpy))


def _zeros(b: Builder, call: Call, shape: tuple[int, ...]) -> str:
    return b.constant(np.zeros(shape, call.dtype.numpy))


@family("along a dimension")
def _softmax(op_type: str, b: Builder, call: Call) -> str:
    return b.add(op_type, call.name(0), axis=call.parameters[0])


@converter("cross_entropy", "nll_loss")
def _class_loss(b: Builder, call: Call) -> str:
    ignored, smoothing = int(call.numbers[0]), call.numbers[1]
    if smoothing:
        raise call.refuse("label_smoothing has no ONNX node", "compute it with log_softmax()")
    name, weight = call.name(0), call.optional(2) or ""
    if call.operator == "cross_entropy":
        name = b.add("LogSoftmax", name, axis=1)
    return b.add(
        "NegativeLogLikelihoodLoss", name, call.name(1), weight, reduction=call.parameters[0], ignore_index=ignored
    )


@converter("batch_norm_eval")
def _batch_norm(b: Builder, call: Call) -> str:
    channels = call.shape[1:2]
    weight = call.optional(1) or _ones(b, call, channels)
    bias = call.optional(2) or _zeros(b, call, channels)
    return b.add("BatchNormalization", call.name(0), weight, bias, call.name(3), call.name(4), epsilon=call.numbers[0])


@converter("batch_norm")
def _batch_norm_of_batch(b: Builder, call: Call) -> list[str | None]:
    """Normalize by the mean and variance of the batch: there are no running ones, or writing them has been refused."""
    x, ndim = call.name(0), len(call.shape)
    axes = [axis for axis in range(ndim) if axis != 1]
    centred = b.add("Sub", x, b.reduce("ReduceMean", x, axes, True))
    return [_scaled(b, call, centred, axes, (-1, *[1] * (ndim - 2))), None, None]


def _scaled(b: Builder, call: Call, centred: str, axes: list[int], shape: tuple[int, ...]) -> str:
    """Divide deviations by their root mean square, multiply by the weight, and add the bias."""
    variance = b.reduce("ReduceMean", b.add("Mul", centred, centred), axes, True)
    made = b.add("Div", centred, b.add("Sqrt", b.add("Add", variance, b.number(call.numbers[-1], call.dtype))))
    for op_type, name in zip(("Mul", "Add"), (call.optional(1), call.optional(2)), strict=True):
        if name:
            made = b.add(op_type, made, b.reshape(name, shape))
    return made


@converter("local_response_norm")
def _local_response_norm(b: Builder, call: Call) -> str:
    """Divide by a power of means over channels: ONNX's LRN has other windows if their size is even."""
    (size, *_), (alpha, beta, k), x = call.parameters, call.numbers, call.name(0)
    squares = b.reshape(b.add("Mul", x, x), (-1, 1, *call.shape[-2:]))
    means = b.add(
        "AveragePool", squares, kernel_shape=[size, 1], pads=[size // 2, 0, (size - 1) // 2, 0], count_include_pad=1
    )
    base = b.add("Mul", b.reshape(means, call.shape), b.number(alpha, call.dtype))
    return b.add("Div", x, b.add("Pow", b.add("Add", base, b.number(k, call.dtype)), b.number(beta, call.dtype)))


@converter("layer_norm")
def _layer_norm(b: Builder, call: Call) -> list[str | None]:
    count = call.parameters[0]
    weight = call.optional(1) or _ones(b, call, call.shape[-count:])
    made = b.add(
        "LayerNormalization", call.name(0), weight, call.optional(2) or "", axis=-count, epsilon=call.numbers[-1]
    )
    return [made, None, None]


@converter("group_norm")
def _group_norm(b: Builder, call: Call) -> list[str | None]:
    """Normalize each group as one channel of an instance normalization, and apply weight and bias to each channel."""
    groups, shape = call.parameters[0], call.shape
    inside = prod(shape[1:]) // groups
    scale, shift = _ones(b, call, (groups,)), _zeros(b, call, (groups,))
    name = b.reshape(call.name(0), (shape[0], groups, inside))
    name = b.reshape(b.add("InstanceNormalization", name, scale, shift, epsilon=call.numbers[-1]), shape)
    for op_type, argument in zip(("Mul", "Add"), (call.optional(1), call.optional(2)), strict=True):
        if argument:
            name = b.add(op_type, name, b.reshape(argument, (-1, *[1] * (len(shape) - 2))))
    return [name, None, None]


def _unit(b: Builder, call: Call, place: int) -> str:
    """Return rows of an operand, divided by their lengths."""
    axes = range(len(call.shape) - call.parameters[0], len(call.shape))
    length = b.reduce("ReduceL2", call.name(place), axes, True)
    return b.add("Div", call.name(place), b.add("Max", length, b.number(call.numbers[-1], call.dtype)))


@converter("unit_rows")
def _unit_rows(b: Builder, call: Call) -> list[str | None]:
    return [_unit(b, call, 0), None]


@converter("cosine_rows")
def _cosine_rows(b: Builder, call: Call) -> list[str | None]:
    axes = range(len(call.shape) - call.parameters[0], len(call.shape))
    return [b.reduce("ReduceSum", b.add("Mul", _unit(b, call, 0), _unit(b, call, 1)), axes, False), None, None]


@converter("rms_norm")
def _rms_norm(b: Builder, call: Call) -> list[str | None]:
    count, x = call.parameters[0], call.name(0)
    axes = range(len(call.shape) - count, len(call.shape))
    mean = b.reduce("ReduceMean", b.add("Mul", x, x), axes, True)
    root = b.add("Sqrt", b.add("Add", mean, b.number(call.numbers[-1], call.dtype)))
    made, weight = b.add("Div", x, root), call.optional(1)
    return [b.add("Mul", made, weight) if weight else made, None]
