"""Unary functions: exponentials, roots, sine and cosine, and activations."""

from __future__ import annotations

from facula_storage import DType
from facula_storage.extend.layouts import COMPLEX

from ..._core.promotion import floating
from ..._dispatch.declaration import elementwise


def is_real(dtype: DType) -> bool:
    """Return True for any dtype but complex dtypes."""
    return dtype.category != COMPLEX


@elementwise
class exp:
    """Return e to the power of each element. Integers are computed in the default floating dtype.

    >>> from facula_tensor import tensor
    >>> exp(tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """

    compute_dtype = floating

    def vjp_input(F, g, out):
        return g * out


@elementwise
class log:
    """Return the natural logarithm of each element; -inf at 0, NaN for negative elements (complex: principal branch).

    >>> from facula_tensor import tensor
    >>> log(tensor([1.0, 10.0]))
    tensor([0.0000, 2.3026])
    """

    compute_dtype = floating

    def vjp_input(F, g, input):
        return g / input


@elementwise
class tanh:
    """Return the hyperbolic tangent of each element.

    >>> from facula_tensor import tensor
    >>> tanh(tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    compute_dtype = floating
    holomorphic = False  # the fused gradient conjugates

    def vjp_input(F, g, out):
        return F.tanh_grad(g, out)


@elementwise
class _tanh_grad:
    """g * conj(1 - out * out), in one pass."""

    inputs = ("input", "other")
    holomorphic = False

    def vjp_input(F, g, _input, other):
        return F.conj(F.tanh_grad(F.conj(g), other))

    def vjp_other(F, g, input, other):
        return F.conj(g) * input * F.conj(other) * -2


@elementwise
class relu:
    """Return each element, or 0 if it is negative. The slope at 0 is 0.

    >>> from facula_tensor import tensor
    >>> relu(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    accepts = is_real

    def vjp_input(F, g, out):
        return F.relu_grad(g, out)


@elementwise
class _relu_grad:
    """g if out > 0, otherwise 0."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.relu_grad(g, other)

    def vjp_other(F, g, _input, _other):
        return F.zeros_like(g)


@elementwise
class sqrt:
    """Return the square root of each element; NaN for negative elements (complex tensors: principal branch).

    >>> from facula_tensor import tensor
    >>> sqrt(tensor([4.0, 2.0]))
    tensor([2.0000, 1.4142])
    """

    compute_dtype = floating

    def vjp_input(F, g, out):
        return g / (out * 2)


@elementwise
class sigmoid:
    """Return 1 / (1 + exp(-x)) for each element, without overflow.

    >>> from facula_tensor import tensor
    >>> sigmoid(tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    compute_dtype = floating

    def vjp_input(F, g, out):
        return g * (out * (1 - out)) if out.is_complex() else F.sigmoid_grad(g, out)


@elementwise
class _sigmoid_grad:
    """g * out * (1 - out) of real numbers, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.sigmoid_grad(g, other)

    def vjp_other(F, g, input, other):
        return g * input * (1 - other * 2)


@elementwise
class sin:
    """Return the sine of each element, in radians.

    >>> from facula_tensor import tensor
    >>> sin(tensor([0.0, 1.0]))
    tensor([0.0000, 0.8415])
    """

    compute_dtype = floating

    def vjp_input(F, g, input):
        return g * F.cos(input)


@elementwise
class cos:
    """Return the cosine of each element, in radians.

    >>> from facula_tensor import tensor
    >>> cos(tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403])
    """

    compute_dtype = floating

    def vjp_input(F, g, input):
        return -(g * F.sin(input))


@elementwise
class log1p:
    """Return log(1 + x) for each element, accurate near 0.

    >>> from facula_tensor import tensor
    >>> log1p(tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931])
    """

    compute_dtype = floating

    def vjp_input(F, g, input):
        return g / (input + 1)


@elementwise
class expm1:
    """Return exp(x) - 1 for each element, accurate near 0.

    >>> from facula_tensor import tensor
    >>> expm1(tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183])
    """

    compute_dtype = floating

    def vjp_input(F, g, out):
        return g * (out + 1)


@elementwise
class rsqrt:
    """Return 1 / sqrt(x) for each element.

    >>> from facula_tensor import tensor
    >>> rsqrt(tensor([4.0]))
    tensor([0.5000])
    """

    compute_dtype = floating

    def vjp_input(F, g, out):
        return g * -0.5 * (out * (out * out))


@elementwise
class reciprocal:
    """Return 1 / x for each element.

    >>> from facula_tensor import tensor
    >>> reciprocal(tensor([4.0]))
    tensor([0.2500])
    """

    compute_dtype = floating

    def vjp_input(F, g, out):
        return -(g * (out * out))
