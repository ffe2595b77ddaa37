"""The error function and its kin, the normal distribution's, the logit, and products with logarithms."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_errors.extend import moved

from ..._core.promotion import as_real, floating
from ..._core.tensor import Tensor
from ..._creation.filled import full
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.view_call import as_tensor
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked, Reals
    from ..._dispatch.namespaces import Namespace

moved(__name__)  # names that pickles of earlier releases have

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
    accepts = is_real

    def partial_input(F, input):
        return F.exp(-(input * input)) * (2 / pi**0.5)


@elementwise
class erfc:
    """1 - erf(x) of each element, to the last digits where that is near 0.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> erfc(tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])
    """

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, input):
        return F.exp(-(input * input)) * (-2 / pi**0.5)


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
    accepts = is_real

    def partial_input(F, input):
        return input * F.erfcx(input) * 2 - 2 / pi**0.5


@elementwise
class erfinv:
    """The number whose error function each element is: infinite at 1 and -1, NaN beyond.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> erfinv(tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, out):
        return F.exp(out * out) * (pi**0.5 / 2)


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
    accepts = is_real

    def partial_input(F, input):
        return F.exp(input * input * -0.5) * (2 * pi) ** -0.5


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
    accepts = is_real

    def partial_input(F, out):
        return F.exp(out * out * 0.5) * (2 * pi) ** 0.5


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
    accepts = is_real

    def partial_input(F, input):
        return normal_ratio(F, input)


def normal_ratio(F: Namespace, input: Tensor) -> Tensor:
    """The normal distribution's density over its probability of less than x: neither overflows on its side of 0."""
    above = input > 0
    high, low = F.where(above, input, 0), F.where(above, 0, input)
    density = F.exp(high * high * -0.5) * (2 * pi) ** -0.5
    return F.where(above, density / F.ndtr(high), (2 / pi) ** 0.5 / F.erfcx(low * -ROOT_HALF))


# --------------------------------------------------------------------------------------- logits and entropy
def held(operation: str, input: Tensor, eps: float) -> Tensor:
    """`logit` of elements held between `eps` and 1 - eps; beyond 0.5 these change places, the lower first."""
    F, x, bound = recorded_ops, as_tensor(operation, input), float(as_real(eps, operation, "eps"))
    if not is_real(x.dtype):
        raise DTypeError(f"{operation}: not defined for {x.dtype.name}; take real or imag first")
    x = x if x.is_floating_point() else x.to(floating(x.dtype))
    if not bound > 0.5:
        return F.logit(F.clamp(x, bound, 1 - bound))
    inner = F.where(F.gt(x, 1 - bound), 1 - bound, x)
    return F.logit(F.where(F.lt(x, bound), bound, inner))


@elementwise
class logit:
    """log(x / (1 - x)) of each element, which `sigmoid` undoes; NaN outside 0 and 1.

    With `eps`, elements are first held between it and 1 - eps. Integers are computed in the default floating dtype. Not
    defined for complex numbers.

    Arguments:
        eps: how near to 0 and 1 elements may be; they stay as they are if None.

    >>> from facula_tensor import tensor
    >>> logit(tensor([0.5, 0.75])), logit(tensor([0.0]), eps=0.25)
    (tensor([0.0000, 1.0986]), tensor([-1.0986]))
    """

    inputs = ("input",)
    method = overridable = out = changes = True
    special_cases = {"eps is not None": held}  # noqa: RUF012

    @staticmethod
    def signature(input: Reals, eps: float | None = None) -> None: ...

    compute_dtype = floating
    accepts = is_real

    def vjp_input(F, g, input):
        slope = F.div(g, F.mul(input, F.sub(1, input)))
        return F.where(F.bitwise_or(F.lt(input, 0), F.gt(input, 1)), float("nan"), slope)


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
    accepts = is_real

    def partial_input(F, input):
        return -(F.log(input) + 1)


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
    accepts = is_real

    def vjp_input(F, g, input, other):
        if not isinstance(other, Tensor):
            other = full((), other, dtype=input.dtype, device=input.device)
        flat = F.bitwise_and(F.eq(input, 0), F.le(other, -1))
        return F.mul(g, F.where(flat, 0, F.log1p(F.where(flat, 1, other))))

    def vjp_other(F, g, input, other):
        return F.div(F.mul(g, input), F.add(other, 1))


# ------------------------------------------------------------------------------------------------------ sinc
def of_complex(operation: str, input: Tensor) -> Tensor:
    """`sinc` of complex numbers."""
    F = recorded_ops
    nowhere = F.eq(input, 0)
    angle = F.mul(F.where(nowhere, 1, input), pi)
    square = F.mul(F.where(nowhere, input, 0), input)  # for the second slope at 0
    return F.where(nowhere, F.sub(1, F.mul(square, pi * pi / 6)), F.div(F.sin(angle), angle))


@elementwise
class sinc:
    """sin(pi x) / (pi x) of each element: 1 at 0, exactly 0 at other whole numbers.

    Integers are computed in the default floating dtype.

    >>> from facula_tensor import tensor
    >>> sinc(tensor([0.0, 0.5, 1.0]))
    tensor([1.0000, 0.6366, 0.0000])
    """

    method = overridable = out = changes = True
    special_cases = {"input.dtype.is_complex": of_complex}  # noqa: RUF012

    @staticmethod
    def signature(input: Checked) -> None: ...

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, input):
        nowhere = input == 0
        slope = (F.cos(input * pi) - F.sinc(input)) / F.where(nowhere, 1, input)
        return F.where(nowhere, input * (-pi * pi / 3), slope)  # which bends at 0, too
