"""The error function and its kin, the normal distribution's, the logit, and products with logarithms."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING, Any

from facula_errors import DTypeError
from facula_errors.extend import boundary
from facula_storage.extend import COMPLEX

from .._core.promotion import as_real, floating
from .._core.tensor import Tensor, method
from .._creation.filled import full
from .._dispatch.declaration import elementwise, public_form
from .._dispatch.namespaces import composite, operators, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out
from .assigning import assign_inplace
from .pointwise import real

if TYPE_CHECKING:
    from .._dispatch.namespaces import Namespace

ROOT_HALF = 0.5**0.5


# ------------------------------------------------------------------------------------------ error functions
@elementwise
class erf:
    """The error function of each element. Integers are computed in the default floating dtype.

    >>> from facula_tensor import tensor
    >>> erf(tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.mul(g, F.mul(F.exp(F.neg(F.mul(input, input))), 2 / pi**0.5))


@elementwise
class erfc:
    """1 - erf(x) of each element, to the last digits where that is near 0.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> erfc(tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.mul(g, F.mul(F.exp(F.neg(F.mul(input, input))), -2 / pi**0.5))


@elementwise
class _erfcx:
    """exp(x^2) erfc(x) of each element, which neither overflows nor vanishes as its factors do.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import erfcx
    >>> erfcx(tensor([0.0, 100.0]))
    tensor([1.0000, 0.0056])
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.mul(g, F.sub(F.mul(F.mul(input, F.erfcx(input)), 2), 2 / pi**0.5))


@elementwise
class erfinv:
    """The number whose error function each element is: infinite at 1 and -1, NaN beyond.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> erfinv(tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, out):
        return F.mul(g, F.mul(F.exp(F.mul(out, out)), pi**0.5 / 2))


# ------------------------------------------------------------------------------------- normal distribution
@elementwise
class _ndtr:
    """The probability of less than each element, in the normal distribution.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import ndtr
    >>> ndtr(tensor([-2.0, 0.0, 2.0]))
    tensor([0.0228, 0.5000, 0.9772])
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.mul(g, F.mul(F.exp(F.mul(F.mul(input, input), -0.5)), (2 * pi) ** -0.5))


@elementwise
class _ndtri:
    """The number that the normal distribution is less than with each element as probability: `ndtr`'s inverse.

    Infinite at 0 and 1, NaN beyond. Integers are computed in the default floating dtype. Not defined for complex
    numbers.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import ndtri
    >>> ndtri(tensor([0.0, 0.5, 0.975]))
    tensor([  -inf, 0.0000, 1.9600])
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, out):
        return F.mul(g, F.mul(F.exp(F.mul(F.mul(out, out), 0.5)), (2 * pi) ** 0.5))


@elementwise
class _log_ndtr:
    """The logarithm of `ndtr` of each element, of any size.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import log_ndtr
    >>> log_ndtr(tensor([-100.0, 0.0]))
    tensor([-5.0055e+03, -6.9315e-01])
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.mul(g, F.normal_ratio(input))


@composite
def normal_ratio(F: Namespace, input: Tensor) -> Tensor:
    """The normal distribution's density over its probability of less than x: neither overflows on its side of 0."""
    above = F.gt(input, 0)
    high, low = F.where(above, input, 0), F.where(above, 0, input)
    density = F.mul(F.exp(F.mul(F.mul(high, high), -0.5)), (2 * pi) ** -0.5)
    return F.where(above, F.div(density, F.ndtr(high)), F.div((2 / pi) ** 0.5, F.erfcx(F.mul(low, -ROOT_HALF))))


# --------------------------------------------------------------------------------------- logits and entropy
@elementwise
class logit:
    """log(x / (1 - x)) of each element; NaN outside 0 and 1, and so is the gradient.

    Arguments:
        input: the numbers.
        out: where the result goes; a new tensor if None.
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        slope = F.div(g, F.mul(input, F.sub(1, input)))
        return F.where(F.bitwise_or(F.lt(input, 0), F.gt(input, 1)), float("nan"), slope)


_log_odds, _log_odds_ = operators["logit"].library_call, operators["logit"].changing


def _held(x: Tensor, bound: float) -> Tensor:
    """Elements between `bound` and 1 - bound; beyond 0.5 these change places, and the lower one is looked at first."""
    if not bound > 0.5:
        return recorded_ops.clamp(x, bound, 1 - bound)
    inner = recorded_ops.where(recorded_ops.gt(x, 1 - bound), 1 - bound, x)
    return recorded_ops.where(recorded_ops.lt(x, bound), bound, inner)


@public_form  # type: ignore[no-redef]
@overridable
@boundary
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:  # noqa: F811
    """log(x / (1 - x)) of each element, which `sigmoid` undoes; NaN outside 0 and 1.

    With `eps`, elements are first held between it and 1 - eps. Integers are computed in the default floating dtype. Not
    defined for complex numbers.

    Arguments:
        input: the numbers.
        eps: how near to 0 and 1 elements may be; they stay as they are if None.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> logit(tensor([0.5, 0.75])), logit(tensor([0.0]), eps=0.25)
    (tensor([0.0000, 1.0986]), tensor([-1.0986]))
    """
    x = as_tensor("logit", input)
    if eps is not None:
        bound = float(as_real(eps, "logit", "eps"))
        if not real(x.dtype):
            raise DTypeError(f"logit: not defined for {x.dtype.name}; take real or imag first")
        x = _held(x if x.is_floating_point() else x.to(floating(x.dtype)), bound)
    return write_out("logit", _log_odds(x), out)


@overridable
@method()
@boundary
def logit_(self: Tensor, eps: float | None = None) -> Tensor:
    """`logit` in place: changes this tensor and returns it."""
    return _log_odds_(self) if eps is None else assign_inplace("logit_", self, logit(self.clone(), eps))


@elementwise
class _entr:
    """-x log(x) of each element: 0 at 0, -inf below.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import entr
    >>> entr(tensor([0.0, 0.5, -1.0]))
    tensor([0.0000, 0.3466,   -inf])
    """

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        return F.mul(g, F.neg(F.add(F.log(input), 1)))


@elementwise
class _xlog1py:
    """input * log(1 + other) of each pair of elements: 0 where input is 0 (NaN where other is NaN).

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import xlog1py
    >>> xlog1py(tensor([0.0, 2.0]), tensor([-1.0, 1.0]))
    tensor([0.0000, 1.3863])
    """

    inputs = ("input", "other")
    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input, other):
        if not isinstance(other, Tensor):
            other = full((), other, dtype=input.dtype, device=input.device)
        flat = F.bitwise_and(F.eq(input, 0), F.le(other, -1))
        return F.mul(g, F.where(flat, 0, F.log1p(F.where(flat, 1, other))))

    def vjp_other(F, g, input, other):
        return F.div(F.mul(g, input), F.add(other, 1))


# ------------------------------------------------------------------------------------------------------ sinc
@elementwise
class sinc:
    """sin(pi x) / (pi x) of real numbers."""

    compute_dtype = floating
    accepts = real

    def vjp_input(F, g, input):
        nowhere = F.eq(input, 0)
        slope = F.div(F.sub(F.cos(F.mul(input, pi)), F.sinc(input)), F.where(nowhere, 1, input))
        return F.mul(g, F.where(nowhere, F.mul(input, -pi * pi / 3), slope))  # which bends at 0, too


_real_sinc, _real_sinc_ = operators["sinc"].library_call, operators["sinc"].changing


@public_form  # type: ignore[no-redef]
@overridable
@boundary
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:  # noqa: F811
    """sin(pi x) / (pi x) of each element: 1 at 0, exactly 0 at other whole numbers.

    Integers are computed in the default floating dtype.

    >>> from facula_tensor import tensor
    >>> sinc(tensor([0.0, 0.5, 1.0]))
    tensor([1.0000, 0.6366, 0.0000])
    """
    x = as_tensor("sinc", input)
    if x.dtype.category == COMPLEX:
        F: Any = recorded_ops
        nowhere = F.eq(x, 0)
        angle = F.mul(F.where(nowhere, 1, x), pi)
        square = F.mul(F.where(nowhere, x, 0), x)  # for the second slope at 0
        return write_out(
            "sinc", F.where(nowhere, F.sub(1, F.mul(square, pi * pi / 6)), F.div(F.sin(angle), angle)), out
        )
    return write_out("sinc", _real_sinc(x), out)


@overridable
@method()
@boundary
def sinc_(self: Tensor) -> Tensor:
    """`sinc` in place: changes this tensor and returns it."""
    return assign_inplace("sinc_", self, sinc(self.clone())) if self.is_complex() else _real_sinc_(self)
