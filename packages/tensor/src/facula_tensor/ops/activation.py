"""What networks put between layers. Functions of one element, where PyTorch has them in `nn.functional` alone."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import bfloat16, float16, float32

from .._core.promotion import as_real, floating
from .._core.tensor import Tensor
from .._dispatch.declaration import elementwise
from .._dispatch.namespaces import composite, recorded_ops
from .._dispatch.view_call import as_tensor
from .pointwise import real
from .softmax import log_softmax as log_softmax_along
from .softmax import softmax as softmax_along

if TYPE_CHECKING:
    from .._core.types import DTypeLike
    from .._dispatch.namespaces import Namespace

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

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.log_sigmoid_grad(g, input)


@elementwise
class _log_sigmoid_grad:
    """g * sigmoid(-x), in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.log_sigmoid_grad(g, other)

    def vjp_other(F, g, input, other):
        s = F.sigmoid(other)
        return F.neg(F.mul(F.mul(g, input), F.mul(s, F.sub(1, s))))


@elementwise
class _softplus:
    """log(1 + exp(x)), without overflow; x itself above 20."""

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.softplus_grad(g, input)


@elementwise
class _softplus_grad:
    """g * sigmoid(x), and g where x is above 20, in one pass."""

    inputs = ("input", "other")

    def vjp_input(F, g, _input, other):
        return F.softplus_grad(g, other)

    def vjp_other(F, g, input, other):
        s = F.sigmoid(other)
        return F.where(F.gt(other, 20), 0, F.mul(F.mul(g, input), F.mul(s, F.sub(1, s))))


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

    def vjp_input(F, g, input, other):
        # The slope at 0 is that of negative elements, and the slope's own slope is not: `below_zero` is constant there.
        return F.where(F.le(input, 0), F.mul(g, F.mul(F.exp(F.below_zero(input)), other)), g)

    def vjp_other(F, g, input, _other):
        return F.mul(g, F.expm1(F.below_zero(input)))


@composite
def below_zero(F: Namespace, input: Tensor) -> Tensor:
    """Negative elements; 0 for the others and NaN, so that nothing overflows where it is not looked at."""
    return F.where(F.lt(input, 0), input, 0)


# ----------------------------------------------------------------------------------------- PyTorch's functions
def assign_inplace(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """The result, or `input` once it has been given the result's elements."""
    return input.copy_(result) if inplace else result


def source(operation: str, input: Tensor, inplace: bool) -> Tensor:
    """What to compute from: a copy where `input` is about to change and the gradient needs what it was."""
    input = as_tensor(operation, input)
    return input.clone() if inplace and input.node is not None else input


def wide(input: Tensor) -> Tensor:
    """`input` in float32 where it has 16 bits: a bound that it is compared with is not rounded to them."""
    return recorded_ops.to(input, (float32,)) if input.dtype in (float16, bfloat16) else input


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, or 0 where it is negative; `inplace` changes `input` and returns it.

    >>> from facula_tensor import tensor
    >>> relu(tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    try:
        return as_tensor("relu", input).relu_() if inplace else recorded_ops.relu(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Each element, times `negative_slope` where it is negative.

    >>> from facula_tensor import tensor
    >>> leaky_relu(tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    try:
        return assign_inplace(
            input,
            recorded_ops.leaky_relu(
                source("leaky_relu", input, inplace), as_real(negative_slope, "leaky_relu", "negative_slope")
            ),
            inplace,
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Each element, or alpha * (exp(x) - 1) where it is negative. D.-A. Clevert and others, 2015.

    >>> from facula_tensor import tensor
    >>> elu(tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    try:
        return assign_inplace(
            input, recorded_ops.elu(source("elu", input, inplace), float(as_real(alpha, "elu", "alpha"))), inplace
        )
    except FaculaError as error:
        trim_traceback(error)
        raise


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x) of each element.

    >>> from facula_tensor import tensor
    >>> silu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.7616])
    """
    try:
        return assign_inplace(input, recorded_ops.silu(source("silu", input, inplace)), inplace)
    except FaculaError as error:
        trim_traceback(error)
        raise


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x times the normal distribution's probability of less than x; `approximate`: "none", or "tanh".

    D. Hendrycks, K. Gimpel: Gaussian error linear units, 2016.

    >>> from facula_tensor import tensor
    >>> gelu(tensor([0.0, 2.0]))
    tensor([0.0000, 1.9545])
    """
    try:
        if approximate not in ("none", "tanh"):
            raise ArgumentError(f"gelu: expected approximate to be 'none' or 'tanh'; got {approximate!r}")
        return recorded_ops.gelu(input) if approximate == "none" else recorded_ops.gelu_tanh(input)
    except FaculaError as error:
        trim_traceback(error)
        raise


@boundary
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)) of each element, without overflow.

    >>> from facula_tensor import tensor
    >>> logsigmoid(tensor([0.0, -100.0]))
    tensor([  -0.6931, -100.0000])
    """
    return recorded_ops.log_sigmoid(input)


@boundary
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
    return assign_inplace(input, recorded_ops.hardtanh(source("hardtanh", input, inplace), min_val, max_val), inplace)


@boundary
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Each element, but at least 0 and at most 6.

    >>> from facula_tensor import tensor
    >>> relu6(tensor([-1.0, 7.0]))
    tensor([0., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`; left out, it is 0 for 0, 1 and 3 dimensions, else 1.

    >>> from facula_tensor import tensor
    >>> softmax(tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    try:
        input = as_tensor("softmax", input)
        return softmax_along(input, _dim(input) if dim is None else dim, dtype=dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DTypeLike | None = None) -> Tensor:
    """The logarithm of softmax along `dim`, as `softmax`'s.

    >>> from facula_tensor import tensor
    >>> log_softmax(tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    try:
        input = as_tensor("log_softmax", input)
        return log_softmax_along(input, _dim(input) if dim is None else dim, dtype=dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


def _dim(input: Tensor) -> int:
    return 0 if input.ndim in (0, 1, 3) else 1
