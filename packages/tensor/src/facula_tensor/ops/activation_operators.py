"""The operators of activations and their gradients; the functions for users are in `activation.py`."""

from __future__ import annotations

from math import inf, pi
from typing import TYPE_CHECKING

from .._core.promotion import floating
from .._dispatch.declaration import elementwise
from .._dispatch.namespaces import composite
from .pointwise import real

if TYPE_CHECKING:
    from .._core.tensor import Tensor
    from .._dispatch.namespaces import Namespace


@elementwise
class _log1p_exp:
    """log(1 + exp(-abs(x))): how far the softened maximum of x and 0 is from the maximum."""

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.neg(F.mul(g, F.mul(F.sign(input), F.sigmoid(F.neg(F.abs(input))))))


@elementwise
class _log_sigmoid:
    """log(sigmoid(x)), without overflow."""

    compute_dtype = floating
    accepts = real

    def value(F, input):
        return F.minimum(input, 0) - F.log1p_exp(input)

    def partial_input(F, input):
        return F.sigmoid(-input)


@elementwise
class _softplus:
    """log(1 + exp(x)), without overflow; x itself above 20."""

    compute_dtype = floating
    accepts = real

    def value(F, input):
        return F.where(input > 20, input, F.relu(input) + F.log1p_exp(input))

    def partial_input(F, input):
        return F.where(input > 20, 1, F.sigmoid(input))


@elementwise
class _silu:
    """x * sigmoid(x)."""

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.silu_grad(g, input)


@elementwise
class _silu_grad:
    """g times the derivative of silu, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.silu_grad(g, other)

    def vjp_other(F, g, input, other):
        s = F.sigmoid(other)
        slope = F.add(F.mul(other, F.sub(1, F.mul(s, 2))), 2)
        return F.mul(F.mul(g, input), F.mul(F.mul(s, F.sub(1, s)), slope))


@elementwise
class _gelu:
    """x times the normal distribution's probability of less than x."""

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.gelu_grad(g, input)


@elementwise
class _gelu_grad:
    """g times the derivative of gelu, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.gelu_grad(g, other)

    def vjp_other(F, g, input, other):
        square = F.mul(other, other)
        density = F.mul(F.exp(F.mul(square, -0.5)), (2 * pi) ** -0.5)
        return F.mul(F.mul(g, input), F.mul(density, F.sub(2, square)))


@elementwise
class _gelu_tanh:
    """x / 2 (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x**3): nearly gelu."""

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.gelu_tanh_grad(g, input)


@elementwise
class _gelu_tanh_grad:
    """g times the derivative of gelu_tanh, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.gelu_tanh_grad(g, other)

    def vjp_other(F, g, input, other):
        square = F.mul(other, other)
        t = F.tanh(F.mul(F.mul(other, F.add(F.mul(square, 0.044715), 1)), (2 / pi) ** 0.5))
        slope = F.mul(F.add(F.mul(square, 3 * 0.044715), 1), (2 / pi) ** 0.5)  # dy/dx
        bend = F.sub(F.mul(other, 3 * 0.044715 * (2 / pi) ** 0.5), F.mul(t, F.mul(slope, slope)))  # y''/2 - t y'**2
        return F.mul(F.mul(g, input), F.mul(F.sub(1, F.mul(t, t)), F.add(slope, F.mul(other, bend))))


@elementwise
class _leaky_relu:
    """x where it is positive, else x times other."""

    inputs = ("input", "other")
    accepts = real

    def vjp_input(F, g, input, other):
        return F.where(F.gt(input, 0), g, F.mul(g, other))

    def vjp_other(F, g, input, _other):
        return F.mul(g, F.below_zero(input))


@elementwise
class _elu:
    """x where it is positive, else other * (exp(x) - 1)."""

    inputs = ("input", "other")
    compute_dtype = floating
    accepts = real

    def value(F, input, other):
        return F.where(input > 0, input, other * F.expm1(input))

    def vjp_input(F, g, input, other):
        # The slope at 0 is that of negative elements, and the slope's own slope is not: `below_zero` is constant there.
        return F.where(F.le(input, 0), F.mul(g, F.mul(F.exp(F.below_zero(input)), other)), g)

    def vjp_other(F, g, input, _other):
        return F.mul(g, F.expm1(F.below_zero(input)))


@composite
def below_zero(F: Namespace, input: Tensor) -> Tensor:
    """Negative elements, and 0 for positive ones, so that nothing overflows where it is not looked at; NaN stays."""
    return F.hardtanh(input, -inf, 0)
