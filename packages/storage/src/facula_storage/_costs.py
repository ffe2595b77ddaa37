"""Floating-point operations of operators, from the shapes of their operands and results."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Shape = Sequence[int]
    Shapes = Sequence[Shape]


def _product(inputs: Shapes, outputs: Shapes) -> int:
    """Count a product: each element of the result is a sum over the first operand's last dimension."""
    return 2 * prod(outputs[0]) * inputs[0][-1]


def _weight_gradient(inputs: Shapes, outputs: Shapes) -> int:
    return 2 * prod(inputs[0][:-1]) * prod(outputs[0])


def _from_result(inputs: Shapes, outputs: Shapes) -> int:
    """Count a convolution: each element of the result is a sum over a channel's whole weight."""
    return 2 * prod(outputs[0]) * prod(inputs[1][1:])


def _from_first(inputs: Shapes, outputs: Shapes) -> int:
    """Count its input gradient, or a transposed convolution: each element of the first operand uses a whole weight."""
    return 2 * prod(inputs[0]) * prod(inputs[1][1:])


def _convolution_weight(inputs: Shapes, outputs: Shapes) -> int:
    return 2 * prod(inputs[0]) * prod(outputs[0][1:])


def _scores(query: Shape, key: Shape, value: Shape, by_key: int, by_value: int) -> int:
    """Count products of the sizes of query times key, and of scores times value."""
    return 2 * prod(query[:-1]) * key[-2] * (by_key * key[-1] + by_value * value[-1])


def _attention(inputs: Shapes, outputs: Shapes) -> int:
    return _scores(inputs[0], inputs[1], inputs[2], 1, 1)


def _attention_gradient(inputs: Shapes, outputs: Shapes) -> int:
    """Count an attention gradient: recomputed scores, the gradients of scores and value, and those of query and key."""
    return _scores(inputs[1], inputs[2], inputs[3], 3, 2)


def _recurrent(inputs: Shapes, outputs: Shapes) -> int:
    return 2 * prod(inputs[0][:-1]) * (prod(inputs[3]) + prod(inputs[4]))


def _recurrent_gradient(inputs: Shapes, outputs: Shapes) -> int:
    """Count twice the products of the forward pass, minus those of an input gradient that is not required."""
    is_unwanted = all([tuple(shape) != tuple(inputs[0]) for shape in outputs])
    return 2 * _recurrent(inputs, outputs) - is_unwanted * 2 * prod(inputs[0][:-1]) * prod(inputs[3])


_FORMULAS: dict[str, Callable[[Shapes, Shapes], int]] = {
    "linear": _product, "matmul": _product, "linear_weight_grad": _weight_gradient,
    "conv2d": _from_result, "conv2d_then": _from_result, "conv2d_input": _from_first,
    "conv2d_weight": _convolution_weight,
    "attention": _attention, "attention_grad": _attention_gradient,
    "recurrent": _recurrent, "recurrent_grad": _recurrent_gradient,
}  # fmt: skip

#: The operators that consist of products: matrix products, convolutions, attention, recurrent layers.
PRODUCTS = frozenset(_FORMULAS)

#: The operators that write, move or select elements without arithmetic.
MOVES = frozenset({
    "cat", "copy", "fill", "flip", "gather", "index_select", "inset", "masked_fill", "max_pool2d", "max_pool2d_pick",
    "max_pool2d_values", "nonzero", "nonzero_flat", "put", "roll", "scatter", "scatter_copy", "take", "tile",
    "triangle", "where", "windows",
})  # fmt: skip


def flops(operator: str, inputs: Shapes, outputs: Shapes, parameters: Sequence[Any] = ()) -> int:
    """Return the number of floating-point operations of a call.

    A multiplication and an addition of a product count as two. Operators that only move elements count none, steps of
    optimizers one for each element of each tensor, and others one for each element of the largest operand or result.

    Arguments:
        operator: the operator.
        inputs: the shapes of its operands, in order; any sequence for those that were not passed.
        outputs: the shapes of its results.
        parameters: its parameters, which contain the size of a convolution whose results are pooled.

    >>> flops("linear", [(5, 4), (3, 4), (3,)], [(5, 3)]), flops("exp", [(5, 3)], [(5, 3)])
    (120, 15)
    >>> flops("sum", [(5, 3)], [()]), flops("cross_entropy", [(5, 3), (5,)], [()])
    (15, 15)
    >>> flops("copy", [(5, 3)], [(5, 3)])
    0
    """
    if operator in MOVES:
        return 0
    if operator == "conv2d_then" and parameters:  # the results before the further steps
        outputs = [(*outputs[0][:2], *parameters[4])]
    if operator.endswith("_step"):
        return sum([prod(shape) for shape in (*inputs, *outputs) if shape])  # numbers have no dimension
    formula = _FORMULAS.get(operator)
    if formula is not None and outputs:
        try:
            return formula(inputs, outputs)
        except IndexError:
            pass  # another operator of this name, with other operands
    return max(map(prod, (*inputs, *outputs)), default=0)
