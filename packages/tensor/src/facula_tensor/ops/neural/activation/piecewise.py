"""Piecewise linear and piecewise exponential activations."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from facula_errors.extend import moved
from facula_storage import float32
from facula_storage.extend.layouts import FLOATING

from ...._core.promotion import floating
from ...._core.tensor import Tensor, layout_of_tensor
from ...._dispatch.declaration import elementwise
from ...._dispatch.namespaces import composite
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import function
from ...elementwise.pointwise import is_real

if TYPE_CHECKING:
    from ...._dispatch.kinds import Flag, Float, Floating, Real, Reals
    from ...._dispatch.namespaces import Namespace


moved(__name__)  # names that pickles of earlier releases have


@composite
def below_zero(F: Namespace, input: Tensor) -> Tensor:
    """Replace positive elements by 0, so that unused branches do not overflow; NaN stays NaN."""
    return F.hardtanh(input, -inf, 0)


# ------------------------------------------------------------------------------------------------ straight lines
@elementwise
class leaky_relu:
    """Multiply negative elements by `negative_slope`.

    Arguments:
        negative_slope: the factor of negative elements.

    >>> from facula_tensor import tensor
    >>> leaky_relu(tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """

    accepts = is_real
    changes = True

    @staticmethod
    def signature(input: Reals, negative_slope: Real = 0.01, inplace: Flag = False) -> None: ...

    def vjp_input(F, g, input, negative_slope):
        return F.where(input > 0, g, g * negative_slope)

    def partial_negative_slope(F, input):
        return F.below_zero(input)


@function(refuses={"min_val > max_val": "min_val <= max_val; got {min_val} and {max_val}"}, changes=True)
def hardtanh(F: Namespace, input: Reals, min_val: Real = -1.0, max_val: Real = 1.0) -> Tensor:
    """Clamp each element to the bounds; no gradient flows at a bound.

    Arguments:
        min_val: the lower bound; rounded toward zero for integers.
        max_val: the upper bound, likewise.

    Raises:
        ValueError: if min_val > max_val.

    >>> from facula_tensor import tensor
    >>> hardtanh(tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    if not as_tensor("hardtanh", input).is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
    return F.hardtanh(input, min_val, max_val)


@function(inplace=True)
def relu6(F: Namespace, input: Reals) -> Tensor:
    """Clamp each element to the range from 0 to 6.

    >>> from facula_tensor import tensor
    >>> relu6(tensor([-1.0, 7.0]))
    tensor([0., 6.])
    """
    low, high = (0.0, 6.0) if as_tensor("relu6", input).is_floating_point() else (0, 6)
    return F.hardtanh(input, low, high)


@elementwise
class hardsigmoid:
    """Compute relu6(x + 3) / 6 of each element: a piecewise linear sigmoid.

    >>> from facula_tensor import tensor
    >>> hardsigmoid(tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """

    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    @staticmethod
    def signature(input: Floating, inplace: Flag = False) -> None: ...

    def value(F, input):
        return F.clamp(input + 3, 0, 6) / 6

    def vjp_input(F, g, input):
        return F.hardsigmoid_grad(g, input)


@elementwise
class _hardsigmoid_grad:
    """Compute g times the derivative of hardsigmoid."""

    inputs = ("grad", "input")
    compute_dtype = floating
    has_kernel = True

    def value(F, grad, input):
        return F.where(abs(input) < 3, grad * (1 / 6), 0)


@elementwise
class hardswish:
    """Compute x * relu6(x + 3) / 6 of each element. A. Howard and others: Searching for MobileNetV3, 2019.

    >>> from facula_tensor import tensor
    >>> hardswish(tensor([0.0, 1.0, 4.0]))
    tensor([0.0000, 0.6667, 4.0000])
    """

    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    @staticmethod
    def signature(input: Floating, inplace: Flag = False) -> None: ...

    def value(F, input):
        return input * F.clamp(input + 3, 0, 6) / 6

    def vjp_input(F, g, input):
        return F.hardswish_grad(g, input)


@elementwise
class _hardswish_grad:
    """Compute g times the derivative of hardswish."""

    inputs = ("grad", "input")
    compute_dtype = floating
    has_kernel = True

    def value(F, grad, input):
        slope = F.where(input >= 3, 1, input * (1 / 3) + 0.5)
        return F.where(input <= -3, 0, grad * slope)


@elementwise
class _softshrink:
    """Compute `softshrink`."""

    inputs = ("input", "lambd")
    compute_dtype = floating
    accepts = is_real

    def value(F, input, lambd):
        return F.where(input > lambd, input - lambd, F.where(input >= -lambd, input * 0, input + lambd))

    def vjp_input(F, g, input, lambd):
        return F.where(abs(input) <= lambd, 0, g)


@elementwise
class _hardshrink:
    """Compute `hardshrink`."""

    inputs = ("input", "lambd")
    compute_dtype = floating
    accepts = is_real

    def value(F, input, lambd):
        return F.where(abs(input) <= lambd, 0, input)

    def vjp_input(F, g, input, lambd):
        return F.where(abs(input) <= lambd, 0, g)


@function(refuses={"not lambd >= 0": "lambd of at least 0; got {lambd}"})
def softshrink(F: Namespace, input: Floating, lambd: Float = 0.5) -> Tensor:
    """Shift each element towards 0 by `lambd`; elements within `lambd` of 0 become 0.

    Arguments:
        lambd: the threshold.

    Raises:
        ValueError: if `lambd` is negative.

    >>> from facula_tensor import tensor
    >>> softshrink(tensor([-2.0, 0.25]))
    tensor([-1.5000,  0.0000])
    """
    return F.softshrink(input, lambd)


@function(method=True)
def hardshrink(F: Namespace, input: Floating, lambd: Float = 0.5) -> Tensor:
    """Replace elements within `lambd` of 0 by 0.

    Arguments:
        lambd: the threshold.

    >>> from facula_tensor import tensor
    >>> hardshrink(tensor([-2.0, 0.25]))
    tensor([-2.,  0.])
    """
    return F.hardshrink(input, lambd)


@function(changes=True)
def threshold(F: Namespace, input: Reals, threshold: Real, value: Real) -> Tensor:
    """Replace elements that are not greater than `threshold` by `value`.

    Arguments:
        threshold: the bound; rounded toward zero for integers.
        value: the replacement, rounded likewise.

    >>> from facula_tensor import tensor
    >>> threshold(tensor([1.0, 3.0]), 2.0, -1.0)
    tensor([-1.,  3.])
    """
    dtype = layout_of_tensor(as_tensor("threshold", input)).dtype
    if dtype.category != FLOATING:
        threshold, value = int(threshold), int(value)
    # Compare in float32, so that the threshold for 16-bit elements is not rounded.
    compared = F.to(input, (float32,)) if dtype.category == FLOATING and dtype.itemsize == 2 else input
    return F.where(F.le(compared, threshold), value, input)


# --------------------------------------------------------------------------------------------------- exponentials
@elementwise
class elu:
    """Replace negative elements x by alpha * (exp(x) - 1).

    D.-A. Clevert and others: Fast and accurate deep network learning by exponential linear units, 2015.

    Arguments:
        alpha: the negated limit for very negative elements.

    >>> from facula_tensor import tensor
    >>> elu(tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    compute_dtype = floating
    has_kernel = True
    accepts = is_real
    changes = True

    @staticmethod
    def signature(input: Reals, alpha: Float = 1.0, inplace: Flag = False) -> None: ...

    def value(F, input, alpha):
        return F.where(input > 0, input, alpha * F.expm1(input))

    def vjp_input(F, g, input, alpha):
        return F.elu_grad(g, input, alpha)

    def partial_alpha(F, input):
        return F.expm1(F.below_zero(input))


@elementwise
class _elu_grad:
    """Compute g times the derivative of elu."""

    inputs = ("grad", "input", "alpha")
    compute_dtype = floating
    has_kernel = True

    def value(F, grad, input, alpha):
        # The slope at 0 is that of negative elements; the second derivative is not: `below_zero` is constant there.
        return F.where(input > 0, grad, grad * (F.exp(F.below_zero(input)) * alpha))


@elementwise
class _scaled_elu:
    """Compute `elu` times a scale."""

    inputs = ("input", "alpha", "scale")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, alpha, scale):
        return F.where(input > 0, input, alpha * F.expm1(input)) * scale

    def vjp_input(F, g, input, alpha, scale):
        return F.elu_grad(g * scale, input, alpha)


@elementwise
class _celu:
    """Compute `celu`."""

    inputs = ("input", "alpha")
    compute_dtype = floating
    has_kernel = True
    accepts = is_real

    def value(F, input, alpha):
        return F.where(input >= 0, input, F.expm1(F.below_zero(input) / alpha) * alpha)

    def vjp_input(F, g, input, alpha):
        return F.celu_grad(g, input, alpha)


@elementwise
class _celu_grad:
    """Compute g times the derivative of celu, which is 1 at 0."""

    inputs = ("grad", "input", "alpha")
    compute_dtype = floating
    has_kernel = True

    def value(F, grad, input, alpha):
        return F.where(input >= 0, grad, grad * F.exp(F.below_zero(input) / alpha))


@function(changes=True)
def selu(F: Namespace, input: Floating) -> Tensor:
    """Compute `elu` with scales that preserve mean 0 and variance 1 across layers. G. Klambauer and others, 2017.

    >>> from facula_tensor import tensor
    >>> selu(tensor([-1.0, 1.0]))
    tensor([-1.1113,  1.0507])
    """
    return F.scaled_elu(input, 1.6732632423543772, 1.0507009873554805)


@function(refuses={"alpha == 0": "an alpha other than 0, since it divides by it; got 0"}, changes=True)
def celu(F: Namespace, input: Floating, alpha: Float = 1.0) -> Tensor:
    """Replace negative elements x by alpha * (exp(x / alpha) - 1). J. T. Barron, 2017.

    Arguments:
        alpha: the negated limit for very negative elements.

    Raises:
        ValueError: if alpha is 0.

    >>> from facula_tensor import tensor
    >>> celu(tensor([-1.0, 1.0]), 2.0)
    tensor([-0.7869,  1.0000])
    """
    return F.celu(input, alpha)
