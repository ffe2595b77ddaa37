"""Error functions, the normal distribution, the logit, `entr`, `xlog1py` and `sinc`."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_errors.extend import moved

from ..._core.promotion import as_real, floating
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.view_call import as_tensor
from .pointwise import is_real, unary

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._dispatch.kinds import Checked, Reals
    from ..._dispatch.namespaces import Namespace

moved(__name__)  # resolves module names in pickles of earlier releases

ROOT_HALF = 0.5**0.5


# ------------------------------------------------------------------------------------------ error functions
@unary("the error function of each element", "[0.0, 1.0]", "[0.0000, 0.8427]", accepts=is_real)
def erf(F: Namespace, input: Tensor) -> Tensor:
    return F.exp(-(input * input)) * (2 / pi**0.5)


@unary(
    "1 - erf(x) for each element, accurate where the result is near 0",
    "[0.0, 1.0]",
    "[1.0000, 0.1573]",
    accepts=is_real,
)
def erfc(F: Namespace, input: Tensor) -> Tensor:
    return F.exp(-(input * input)) * (-2 / pi**0.5)


@elementwise
class _erfcx:
    """Return exp(x^2) erfc(x) for each element, without overflow or underflow of the factors.

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
    """Return the inverse error function of each element; infinite at 1 and -1, NaN outside [-1, 1].

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
    """Return the cumulative distribution function of the standard normal distribution for each element.

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
    """Return the inverse of `ndtr`: the quantile function of the standard normal distribution for each element.

    It is infinite at 0 and 1, and NaN outside [0, 1]. Integers are computed in the default floating dtype. Not defined
    for complex numbers.

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
    """Return the logarithm of `ndtr` for each element, without underflow.

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
    """Return the standard normal density divided by its cumulative distribution function, without overflow.

    Each side of 0 uses its own formula.
    """
    above = input > 0
    high, low = F.where(above, input, 0), F.where(above, 0, input)
    density = F.exp(high * high * -0.5) * (2 * pi) ** -0.5
    return F.where(above, density / F.ndtr(high), (2 / pi) ** 0.5 / F.erfcx(low * -ROOT_HALF))


# --------------------------------------------------------------------------------------- logits and entropy
def clamped_logit(operation: str, input: Tensor, eps: float) -> Tensor:
    """Return `logit` of elements limited to the interval from `eps` to 1 - eps.

    If `eps` exceeds 0.5, elements below `eps` become `eps`, and all others 1 - eps.
    """
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
    """Return log(x / (1 - x)) for each element, the inverse of `sigmoid`; NaN outside [0, 1].

    With `eps`, elements are first limited to the interval from `eps` to 1 - eps. Integers are computed in the default
    floating dtype. Not defined for complex numbers.

    Arguments:
        eps: the minimum distance of elements from 0 and 1; None leaves them unchanged.

    >>> from facula_tensor import tensor
    >>> logit(tensor([0.5, 0.75])), logit(tensor([0.0]), eps=0.25)
    (tensor([0.0000, 1.0986]), tensor([-1.0986]))
    """

    inputs = ("input",)
    method = overridable = out = changes = True
    special_cases = {"eps is not None": clamped_logit}  # noqa: RUF012

    @staticmethod
    def signature(input: Reals, eps: float | None = None) -> None: ...

    compute_dtype = floating
    accepts = is_real

    def vjp_input(F, g, input):
        slope = g / (input * (1 - input))
        return F.where((input < 0) | (input > 1), float("nan"), slope)


@elementwise
class _entr:
    """Return -x log(x) for each element; 0 at 0, -inf for negative elements.

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
    """Return input * log(1 + other) for each pair of elements; 0 if input is 0 (but NaN if other is NaN).

    Arguments:
        input: the first operand, a tensor.
        other: the second operand, a tensor or a number.
        out: the tensor that receives the result; None for a new tensor.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import xlog1py
    >>> xlog1py(tensor([0.0, 2.0]), tensor([-1.0, 1.0]))
    tensor([0.0000, 1.3863])
    """

    inputs = ("input", "other")
    compute_dtype = floating
    accepts = is_real

    def vjp_input(F, g, input, other):
        flat = (input == 0) & (other <= -1)
        return g * F.where(flat, 0, F.log1p(F.where(flat, 1, other)))

    def vjp_other(F, g, input, other):
        return g * input / (other + 1)


# ------------------------------------------------------------------------------------------------------ sinc
def complex_sinc(operation: str, input: Tensor) -> Tensor:
    """Return `sinc` of complex numbers."""
    F = recorded_ops
    nowhere = F.eq(input, 0)
    angle = F.mul(F.where(nowhere, 1, input), pi)
    square = F.mul(F.where(nowhere, input, 0), input)  # required for the second derivative at 0
    return F.where(nowhere, F.sub(1, F.mul(square, pi * pi / 6)), F.div(F.sin(angle), angle))


@elementwise
class sinc:
    """Return sin(pi x) / (pi x) for each element; 1 at 0, exactly 0 at other integers.

    Integers are computed in the default floating dtype.

    >>> from facula_tensor import tensor
    >>> sinc(tensor([0.0, 0.5, 1.0]))
    tensor([1.0000, 0.6366, 0.0000])
    """

    method = overridable = out = changes = True
    special_cases = {"input.dtype.is_complex": complex_sinc}  # noqa: RUF012

    @staticmethod
    def signature(input: Checked) -> None: ...

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, input):
        nowhere = input == 0
        slope = (F.cos(input * pi) - F.sinc(input)) / F.where(nowhere, 1, input)
        return F.where(nowhere, input * (-pi * pi / 3), slope)  # keeps the second derivative at 0
