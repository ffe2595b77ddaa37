"""What networks put between layers. Functions of one element, where PyTorch has them in `nn.functional` alone."""

from __future__ import annotations

from math import pi
from typing import Any

from .._declare import elementwise
from .._errors import ArgumentError
from .._operator import composite, recording
from .._promotion import as_real, floating
from .._tensor import Tensor
from .._viewing import as_tensor
from .pointwise import real
from .softmax import log_softmax as log_softmax_along
from .softmax import softmax as softmax_along

__all__ = [
    "elu",
    "gelu",
    "hardtanh",
    "leaky_relu",
    "log_softmax",
    "logsigmoid",
    "relu",
    "relu6",
    "silu",
    "softmax",
]


# ----------------------------------------------------------------------------------------------- operators
@elementwise
class _log_sigmoid:
    """log(sigmoid(x)), without overflow."""

    compute = floating
    accepts = real

    def reverse_input(F, g, input):
        return F.mul(g, F.sigmoid(F.neg(input)))


@elementwise
class _silu:
    """x * sigmoid(x)."""

    compute = floating
    accepts = real

    def reverse_input(F, g, input):
        s = F.sigmoid(input)
        return F.mul(g, F.mul(s, F.add(F.mul(input, F.sub(1, s)), 1)))


@elementwise
class _gelu:
    """x times the normal distribution's probability of less than x."""

    compute = floating
    accepts = real

    def reverse_input(F, g, input):
        less = F.mul(F.add(F.erf(F.mul(input, 0.5**0.5)), 1), 0.5)
        density = F.mul(F.exp(F.mul(F.mul(input, input), -0.5)), (2 * pi) ** -0.5)
        return F.mul(g, F.add(less, F.mul(input, density)))


@elementwise
class _gelu_tanh:
    """x / 2 (1 + tanh(y)), y = sqrt(2 / pi) (x + 0.044715 x**3): nearly gelu."""

    compute = floating
    accepts = real

    def reverse_input(F, g, input):
        square = F.mul(input, input)
        t = F.tanh(F.mul(F.mul(input, F.add(F.mul(square, 0.044715), 1)), (2 / pi) ** 0.5))
        slope = F.mul(F.add(F.mul(square, 3 * 0.044715), 1), (2 / pi) ** 0.5)
        along = F.mul(F.mul(input, F.sub(1, F.mul(t, t))), slope)
        return F.mul(g, F.mul(F.add(F.add(t, 1), along), 0.5))


@elementwise
class _leaky_relu:
    """x where it is positive, else x times other."""

    inputs = ("input", "other")
    accepts = real

    def reverse_input(F, g, input, other):
        return F.where(F.gt(input, 0), g, F.mul(g, other))

    def reverse_other(F, g, input, _other):
        return F.mul(g, F.below_zero(input))


@elementwise
class _elu:
    """x where it is positive, else other * (exp(x) - 1)."""

    inputs = ("input", "other")
    compute = floating
    accepts = real

    def reverse_input(F, g, input, other):
        # The slope at 0 is that of negative elements, and the slope's own slope is not: `below_zero` is constant there.
        return F.where(F.le(input, 0), F.mul(g, F.mul(F.exp(F.below_zero(input)), other)), g)

    def reverse_other(F, g, input, _other):
        return F.mul(g, F.expm1(F.below_zero(input)))


@composite
def below_zero(F: Any, input: Tensor) -> Tensor:
    """Negative elements; 0 for the others and NaN, so that nothing overflows where it is not looked at."""
    return F.where(F.lt(input, 0), input, 0)


# ----------------------------------------------------------------------------------------- PyTorch's functions
def store(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """The result, or `input` once it has been given the result's elements."""
    return input.copy_(result) if inplace else result


def source(operation: str, input: Tensor, inplace: bool) -> Tensor:
    """What to compute from: a copy where `input` is about to change and the gradient needs what it was."""
    input = as_tensor(operation, input)
    return input.clone() if inplace and input.node is not None else input


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, or 0 where it is negative; `inplace` changes `input` and returns it.

    >>> from facula_tensor import tensor
    >>> relu(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return as_tensor("relu", input).relu_() if inplace else recording.relu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Each element, times `negative_slope` where it is negative.

    >>> from facula_tensor import tensor
    >>> leaky_relu(tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return store(
        input,
        recording.leaky_relu(
            source("leaky_relu", input, inplace), as_real(negative_slope, "leaky_relu", "negative_slope")
        ),
        inplace,
    )


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element, or alpha * (exp(x) - 1) where it is negative. D.-A. Clevert and others, 2015.

    >>> from facula_tensor import tensor
    >>> elu(tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return store(input, recording.elu(source("elu", input, inplace), float(as_real(alpha, "elu", "alpha"))), inplace)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x) of each element.

    >>> from facula_tensor import tensor
    >>> silu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.7616])
    """
    return store(input, recording.silu(source("silu", input, inplace)), inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x times the normal distribution's probability of less than x; `approximate`: "none", or "tanh".

    D. Hendrycks, K. Gimpel: Gaussian error linear units, 2016.

    >>> from facula_tensor import tensor
    >>> gelu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.9545])
    """
    if approximate not in ("none", "tanh"):
        raise ArgumentError(f"gelu: expected approximate to be 'none' or 'tanh'; got {approximate!r}")
    return recording.gelu(input) if approximate == "none" else recording.gelu_tanh(input)


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)) of each element, without overflow.

    >>> from facula_tensor import tensor
    >>> logsigmoid(tensor([0.0, -100.0]))
    tensor([  -0.6931, -100.0000])
    """
    return recording.log_sigmoid(input)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element, or the bound that it is beyond; no gradient flows at a bound. ValueError if min_val > max_val.

    >>> from facula_tensor import tensor
    >>> hardtanh(tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    input = as_tensor("hardtanh", input)
    min_val, max_val = as_real(min_val, "hardtanh", "min_val"), as_real(max_val, "hardtanh", "max_val")
    if min_val > max_val:
        raise ArgumentError(f"hardtanh: expected min_val <= max_val; got {min_val} and {max_val}")
    input = as_tensor("hardtanh", input)
    if not input.is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
    return store(input, recording.hardtanh(source("hardtanh", input, inplace), min_val, max_val), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, but at least 0 and at most 6.

    >>> from facula_tensor import tensor
    >>> relu6(tensor([-1.0, 7.0]))
    tensor([0., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`; left out, it is 0 for 0, 1 and 3 dimensions, else 1.

    >>> from facula_tensor import tensor
    >>> softmax(tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    input = as_tensor("softmax", input)
    return softmax_along(input, _dim(input) if dim is None else dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along `dim`, as `softmax`'s.

    >>> from facula_tensor import tensor
    >>> log_softmax(tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    input = as_tensor("log_softmax", input)
    return log_softmax_along(input, _dim(input) if dim is None else dim, dtype=dtype)


def _dim(input: Tensor) -> int:
    return 0 if input.ndim in (0, 1, 3) else 1
