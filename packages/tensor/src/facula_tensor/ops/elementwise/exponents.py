"""Powers of 2, logarithms to the bases 2 and 10, log-sum-exp of pairs, `hypot` and `xlogy`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage import Layout

from ..._core.promotion import floating
from ..._dispatch.declaration import elementwise
from .pointwise import is_real, unary

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._dispatch.namespaces import Namespace

LN2, LN10 = 0.6931471805599453, 2.302585092994046


@unary("2 to the power of each element", "[0.0, 3.0]", "[1., 8.]")
def exp2(F: Namespace, g: Tensor, out: Tensor) -> Tensor:
    return g * (out * LN2)


@unary("the logarithm to the base 2 of each element; -inf at 0, NaN for negative elements", "[1.0, 8.0]", "[0., 3.]")
def log2(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g / (input * LN2)


@unary(
    "the logarithm to the base 10 of each element; -inf at 0, NaN for negative elements",
    "[1.0, 1000.0]",
    "[0., 3.]",
)
def log10(F: Namespace, g: Tensor, input: Tensor) -> Tensor:
    return g / (input * LN10)


def _require_floating(operation: str, *operands: object) -> None:
    """Raise a TypeError, with the operator's name, for numbers and integers; operands are given as layouts."""
    for operand in operands:
        if not isinstance(operand, Layout) or not operand.dtype.is_floating_point:
            got = operand.dtype.name if isinstance(operand, Layout) else "a number"
            raise DTypeError(f"{operation}: expected two floating tensors; got {got}; convert with .to(), or tensor()")


@elementwise
class hypot:
    """Return sqrt(input^2 + other^2) for each pair of elements, without overflow. Floating dtypes only.

    >>> from facula_tensor import tensor
    >>> hypot(tensor([3.0]), tensor([4.0]))
    tensor([5.])
    """

    inputs = ("input", "other")
    accepts = is_real

    def validate_layouts(input, other):
        _require_floating("hypot", input, other)

    def partial_input(F, input, other):
        return input / F.hypot(input, other)

    def partial_other(F, input, other):
        return other / F.hypot(input, other)


@elementwise
class logaddexp:
    """Return log(exp(input) + exp(other)) for each pair of elements, without overflow. Floating dtypes only.

    >>> from facula_tensor import tensor
    >>> logaddexp(tensor([-1000.0]), tensor([-1000.0]))
    tensor([-999.3068])
    """

    inputs = ("input", "other")
    accepts = is_real

    def validate_layouts(input, other):
        _require_floating("logaddexp", input, other)

    def partial_input(F, input, other):
        return share_of_sum(F, input, other, 1)

    def partial_other(F, input, other):
        return share_of_sum(F, other, input, 1)


@elementwise
class logaddexp2:
    """Return log2(2^input + 2^other) for each pair of elements, without overflow. Floating dtypes only.

    >>> from facula_tensor import tensor
    >>> logaddexp2(tensor([3.0]), tensor([3.0]))
    tensor([4.])
    """

    inputs = ("input", "other")
    accepts = is_real

    def validate_layouts(input, other):
        _require_floating("logaddexp2", input, other)

    def partial_input(F, input, other):
        return share_of_sum(F, input, other, LN2)

    def partial_other(F, input, other):
        return share_of_sum(F, other, input, LN2)


def share_of_sum(F: Namespace, x: Tensor, y: Tensor, scale: float) -> Tensor:
    """Return the fraction of the sum due to x: 1 / (1 + exp((y - x) scale)); 1/2 if both are the same infinity."""
    difference = x - y
    difference = F.where((x == y) & (difference != difference), 0, difference)
    return F.sigmoid(difference if scale == 1 else difference * scale)


@elementwise
class xlogy:
    """Return input * log(other) for each pair of elements; 0 if input is 0 (but NaN if other is NaN).

    >>> from facula_tensor import tensor
    >>> xlogy(tensor([0.0, 2.0]), tensor([0.0, 1.0]))
    tensor([0., 0.])
    """

    inputs = ("input", "other")
    compute_dtype = floating
    accepts = is_real

    def vjp_input(F, g, input, other):
        flat = (input == 0) & (other <= 0)
        return g * F.where(flat, 0, F.log(F.where(flat, 1, other)))

    def vjp_other(F, g, input, other):
        return g * input / other
