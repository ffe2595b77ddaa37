"""Smooth activations: gated by sigmoids or normal distributions, softplus and related functions."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Literal

from ...._core.promotion import floating
from ...._dispatch.declaration import elementwise
from ...._dispatch.written import function
from ...elementwise.pointwise import is_real

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._dispatch.kinds import Flag, Floating, Real, Reals
    from ...._dispatch.namespaces import Namespace


@elementwise
class _log1p_exp:
    """Compute log(1 + exp(-abs(x))), which is `softplus(x) - relu(x)`."""

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, input):
        return -(F.sign(input) * F.sigmoid(-abs(input)))


@elementwise
class softplus:
    """Compute log(1 + exp(beta * x)) / beta of each element; returns x where beta * x is above `threshold`.

    Arguments:
        beta: the steepness; ValueError if it is 0.
        threshold: the bound above which the result is x itself.

    >>> from facula_tensor import tensor
    >>> softplus(tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """

    compute_dtype = floating
    has_kernel = True
    accepts = is_real
    refuses = {"beta == 0": "a beta other than 0, since it divides by it; got 0"}  # noqa: RUF012

    @staticmethod
    def signature(input: Reals, beta: Real = 1, threshold: Real = 20) -> None: ...

    def value(F, input, beta, threshold):
        x = input * beta
        return F.where(x > threshold, input, (F.relu(x) + F.log1p_exp(x)) / beta)

    def partial_input(F, input, beta, threshold):
        return F.softplus_slope(input, beta, threshold)


@elementwise
class _softplus_slope:
    """Compute the derivative of softplus."""

    inputs = ("input", "beta", "threshold")
    compute_dtype = floating
    has_kernel = True

    def value(F, input, beta, threshold):
        return F.where(input * beta > threshold, 1, F.sigmoid(input * beta))


@elementwise
class _log_sigmoid:
    """Compute log(sigmoid(x)) without overflow."""

    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input):
        return F.minimum(input, 0) - F.log1p_exp(input)

    def vjp_input(F, g, input):
        return F.log_sigmoid_grad(g, input)


@elementwise
class _log_sigmoid_grad:
    """Compute g times the derivative of log_sigmoid."""

    inputs = ("grad", "input")
    compute_dtype = floating
    has_kernel = True

    def value(F, grad, input):
        return grad * F.sigmoid(-input)


@function(calls="log_sigmoid")
def logsigmoid(input: Reals) -> None:
    """Compute log(sigmoid(x)) of each element, without overflow.

    >>> from facula_tensor import tensor
    >>> logsigmoid(tensor([0.0, -100.0]))
    tensor([  -0.6931, -100.0000])
    """


@elementwise
class silu:
    """Compute x * sigmoid(x) of each element.

    >>> from facula_tensor import tensor
    >>> silu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.7616])
    """

    compute_dtype = floating
    accepts = is_real

    @staticmethod
    def signature(input: Reals, inplace: Flag = False) -> None: ...

    def vjp_input(F, g, input):
        return F.silu_grad(g, input)


@elementwise
class _silu_grad:
    """Compute g times the derivative of silu, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.silu_grad(g, other)

    def vjp_other(F, g, input, other):
        s = F.sigmoid(other)
        slope = other * (1 - s * 2) + 2
        return g * input * (s * (1 - s) * slope)


@elementwise
class softsign:
    """Compute x / (1 + abs(x)) of each element.

    >>> from facula_tensor import tensor
    >>> softsign(tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """

    compute_dtype = floating
    accepts = is_real

    @staticmethod
    def signature(input: Reals) -> None: ...

    def value(F, input):
        return input / (abs(input) + 1)

    def partial_input(F, input):
        return F.square(F.reciprocal(abs(input) + 1))


@elementwise
class tanhshrink:
    """Compute x - tanh(x) of each element.

    >>> from facula_tensor import tensor
    >>> tanhshrink(tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384])
    """

    compute_dtype = floating
    accepts = is_real

    @staticmethod
    def signature(input: Reals) -> None: ...

    def value(F, input):
        return input - F.tanh(input)

    def partial_input(F, input):
        return F.square(F.tanh(input))


@elementwise
class mish:
    """Compute x * tanh(softplus(x)) of each element. D. Misra: Mish, 2019.

    >>> from facula_tensor import tensor
    >>> mish(tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651])
    """

    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    @staticmethod
    def signature(input: Floating, inplace: Flag = False) -> None: ...

    def value(F, input):
        # tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2), which is 1 above the bound
        e = F.exp(F.minimum(input, 20))
        n = e * (e + 2)
        return input * (n / (n + 2))

    def partial_input(F, input):
        return F.mish_slope(input)


@elementwise
class _mish_slope:
    """Compute the derivative of mish."""

    compute_dtype = floating
    has_kernel = True

    def value(F, input):
        least = F.minimum(input, 20)
        e = F.exp(least)
        n = e * (e + 2)
        below = n + 2
        return (n + least * (e * (e + 1) * 4 / below)) / below


@elementwise
class _gelu:
    """Compute x times the cumulative normal distribution at x."""

    compute_dtype = floating
    accepts = is_real

    def vjp_input(F, g, input):
        return F.gelu_grad(g, input)


@elementwise
class _gelu_grad:
    """Compute g times the derivative of gelu, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.gelu_grad(g, other)

    def vjp_other(F, g, input, other):
        square = other * other
        density = F.exp(square * -0.5) * (2 * pi) ** -0.5
        return g * input * (density * (2 - square))


@elementwise
class _gelu_tanh:
    """Compute x / 2 (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x**3): approximately gelu."""

    compute_dtype = floating
    accepts = is_real

    def vjp_input(F, g, input):
        return F.gelu_tanh_grad(g, input)


@elementwise
class _gelu_tanh_grad:
    """Compute g times the derivative of gelu_tanh, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.gelu_tanh_grad(g, other)

    def vjp_other(F, g, input, other):
        square = other * other
        t = F.tanh(other * (square * 0.044715 + 1) * (2 / pi) ** 0.5)
        slope = (square * (3 * 0.044715) + 1) * (2 / pi) ** 0.5  # dy/dx
        bend = other * (3 * 0.044715 * (2 / pi) ** 0.5) - t * (slope * slope)  # y''/2 - t y'**2
        return g * input * ((1 - t * t) * (slope + other * bend))


@function()
def gelu(F: Namespace, input: Reals, approximate: Literal["none", "tanh"] = "none") -> Tensor:
    """Compute x times the cumulative normal distribution at x. D. Hendrycks, K. Gimpel, 2016.

    Arguments:
        approximate: "none", or "tanh" for x / 2 (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x**3).

    >>> from facula_tensor import tensor
    >>> gelu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.9545])
    """
    return F.gelu(input) if approximate == "none" else F.gelu_tanh(input)
