"""The logarithm of the gamma function, and its derivatives."""

from __future__ import annotations

from math import factorial, log, pi
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_errors.extend import boundary

from ..._core.promotion import floating
from ..._core.tensor import Tensor, method
from ..._creation.ranges import arange
from ..._dispatch.declaration import elementwise
from ..._dispatch.overrides import overridable
from ..._dispatch.written import function
from ..memory.assignment import assign_inplace
from .pointwise import is_real, unary

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked, Integer
    from ..._dispatch.namespaces import Namespace


@unary(
    "the logarithm of the gamma function's magnitude for each element; infinity at 0 and negative integers",
    "[1.0, 4.5]",
    "[0.0000, 2.4537]",
    accepts=is_real,
)
def lgamma(F: Namespace, input: Tensor) -> Tensor:
    return F.digamma(input)


@unary(
    "the derivative of `lgamma` at each element; -inf at 0 (inf at -0), NaN at negative integers",
    "[1.0, 4.5]",
    "[-0.5772,  1.3889]",
    accepts=is_real,
)
def digamma(F: Namespace, input: Tensor) -> Tensor:
    return F.trigamma(input)


@elementwise
class _trigamma:
    """The derivative of `digamma` at each element."""

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, input):
        return F.zeta(3, input) * -2


@elementwise
class _zeta:
    """Return the Hurwitz zeta function: the sum of (other + k) ** -input over k = 0, 1, ..., for each pair of elements.

    It is infinite if input is 1 or other is 0 or a negative integer, and NaN if input is less than 1. Integers are
    computed in the default floating dtype. Not defined for complex numbers. `input` has no derivative.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import zeta
    >>> zeta(tensor([2.0, 4.0]), 1)
    tensor([1.6449, 1.0823])
    """

    inputs = ("input", "other")
    compute_dtype = floating
    accepts = is_real

    def vjp_other(F, g, input, other):
        return g * -input * F.zeta(input + 1, other)


@function(out=True, overridable=True)
def polygamma(F: Namespace, n: Integer, input: Checked) -> Tensor:
    """Return the derivative of order `n` of `digamma` at each element.

    Integers are computed in the default floating dtype.

    Arguments:
        n: the order, at least 0.
        input: a tensor of real numbers.

    Raises:
        ValueError: for negative `n`.

    >>> from facula_tensor import tensor
    >>> polygamma(1, tensor([1.0, 2.0]))
    tensor([1.6449, 0.6449])
    """
    if n < 0:
        raise ArgumentError(f"polygamma: expected n of at least 0; got {n}")
    if not is_real(input.dtype):
        raise DTypeError(f"polygamma: not defined for {input.dtype.name}; pass real numbers")
    if n < 2:
        return (F.trigamma if n else F.digamma)(input)
    try:
        factor = float(factorial(n))
    except OverflowError:
        factor = float("inf")
    return F.mul(F.zeta(n + 1, input), factor if n % 2 else -factor)


@overridable
@method("polygamma")
@boundary
def _polygamma_of(self: Tensor, n: int) -> Tensor:
    """Return `facula_tensor.polygamma(n, self)`."""
    return polygamma(n, self)


@overridable
@method("polygamma_")
@boundary
def _polygamma_inplace(self: Tensor, n: int) -> Tensor:
    """Apply `polygamma` to this tensor in place and return it."""
    return assign_inplace("polygamma_", self, polygamma(n, self))


@function(method=True, changes=True, out=True)
def mvlgamma(F: Namespace, input: Checked, p: Integer) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension `p` for each element.

    Integers are computed in the default floating dtype.

    Arguments:
        input: a tensor of real numbers above (p - 1) / 2.
        p: the dimension, at least 1.

    Raises:
        ValueError: if `p` is less than 1.

    >>> from facula_tensor import tensor
    >>> mvlgamma(tensor([2.5]), 2)
    tensor([0.8570])
    """
    if p < 1:
        raise ArgumentError(f"mvlgamma: expected p of at least 1; got {p}")
    if not is_real(input.dtype):
        raise DTypeError(f"mvlgamma: not defined for {input.dtype.name}; pass real numbers")
    x = input if input.is_floating_point() else input.to(floating(input.dtype))
    terms = F.lgamma(F.sub(x.unsqueeze(-1), arange(0, p, dtype=x.dtype, device=x.device) / 2))
    return F.add(F.sum(terms, ((x.ndim,), False)), p * (p - 1) / 4 * log(pi))
