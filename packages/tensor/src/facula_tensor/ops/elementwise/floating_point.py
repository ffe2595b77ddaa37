"""Floating-point representation: mantissas and exponents, adjacent numbers, and the step function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from facula_errors import DTypeError
from facula_storage import bool_, float32, float64, int16, int32, int64
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._core.promotion import floating, result_type
from ..._core.tensor import Tensor
from ..._creation.filled import full, zeros_like
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.written import function
from ..named_results import named_results
from ..shape.broadcasting import broadcast_tensors
from .gcd import require_tensors
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._dispatch.kinds import Checked, Steady
    from ..._dispatch.namespaces import Namespace


class Frexp(tuple[Tensor, Tensor]):
    """The result of `frexp`: `mantissa` and `exponent`."""

    __slots__ = ()
    fields: tuple[str, str] = ("mantissa", "exponent")

    @property
    def mantissa(self) -> Tensor:
        """The fraction, with a magnitude in [1/2, 1) and the sign of the element."""
        return self[0]

    @property
    def exponent(self) -> Tensor:
        """The power of two (int32)."""
        return self[1]

    def __repr__(self) -> str:
        return f"facula.return_types.frexp(\nmantissa={self[0]!r},\nexponent={self[1]!r})"


@function(method=True)
def frexp(F: Namespace, input: Steady, *, out: tuple[Tensor, Tensor] | None = None) -> Frexp:
    """Decompose each element into a mantissa in [1/2, 1) and an exponent (int32): mantissa * 2 ** exponent.

    Floating dtypes only. For 0, infinities and NaN the mantissa is the element itself and the exponent is 0.

    Arguments:
        out: the pair of tensors that receives the results; None for new tensors.

    >>> from facula_tensor import tensor
    >>> frexp(tensor([3.0, 0.0]))
    facula.return_types.frexp(
    mantissa=tensor([0.7500, 0.0000]),
    exponent=tensor([2, 0], dtype=facula.int32))
    """
    x = input
    if x.dtype.category != FLOATING:
        raise DTypeError(f"frexp: defined for floating dtypes; got {x.dtype.name}; convert with .float()")
    wide = x if x.dtype is float64 else x.to(float32)
    exponent = _exponents(wide.detach())
    first = no_record_ops.bitwise_right_shift(exponent, 1)  # in two steps: 2 ** 148 exceeds the range of float32
    mantissa = wide
    for part in (first, no_record_ops.sub(exponent, first)):
        mantissa = F.mul(mantissa, no_record_ops.exp2(no_record_ops.neg(part).to(wide.dtype)))
    mantissa = mantissa.to(x.dtype)
    return Frexp(named_results("frexp", cast("Any", Frexp), (mantissa, exponent), out))


def _exponents(x: Tensor) -> Tensor:
    """Return the exponents, from the bits; subnormal numbers are scaled first."""
    bits, whole, bias = (52, int64, 1022) if x.dtype is float64 else (23, int32, 126)
    mask = 2 * bias + 3  # all bits of an exponent
    subnormal = no_record_ops.lt(no_record_ops.abs(x), 2.0 ** (1 - bias))
    scaled = no_record_ops.where(subnormal, no_record_ops.mul(x, 2.0**bits), x)
    biased = no_record_ops.bitwise_and(no_record_ops.bitwise_right_shift(scaled.contiguous().view(whole), bits), mask)
    exponent = no_record_ops.sub(no_record_ops.sub(biased, bias), no_record_ops.mul(subnormal.to(whole), bits))
    ordinary = no_record_ops.bitwise_and(no_record_ops.ne(x, 0), no_record_ops.ne(biased, mask))
    return no_record_ops.mul(exponent, ordinary.to(whole)).to(int32)


@function(method=True, changes=True, out=True)
def ldexp(F: Namespace, input: Checked, other: Checked) -> Tensor:
    """Return `input * 2 ** other` for each pair of elements. Integers use the default floating dtype.

    Arguments:
        input: the mantissas.
        other: the exponents.

    >>> from facula_tensor import tensor
    >>> ldexp(tensor([1.0, 3.0]), tensor([2, -1]))
    tensor([4.0000, 1.5000])
    """
    dtype = floating(result_type(input, other))
    if dtype.category == COMPLEX:
        return F.mul(input, F.pow(2.0, other.to(float64))).to(dtype)
    # In steps, since 2 ** other may exceed the range where the product does not; beyond 2200, all products do.
    product, rest = input.to(float64), F.clamp(other.to(float64), -2200, 2200)
    third = no_record_ops.floor(no_record_ops.mul(rest.detach(), 1 / 3))
    for power in (third, third, F.sub(F.sub(rest, third), third)):
        product = F.mul(product, F.exp2(power))
    return product.to(dtype)


@function(method=True, changes=True, out=True)
def nextafter(F: Namespace, input: Tensor, other: Tensor) -> Tensor:
    """Return the next representable number after each element in the direction of `other`. Floating dtypes only.

    The gradient of `input` is that of the result where the two differ.

    Arguments:
        input: the numbers.
        other: the numbers that determine the directions.

    >>> from facula_tensor import tensor
    >>> (nextafter(tensor([1.0]), tensor([2.0])) - 1).item()
    1.1920928955078125e-07
    """
    require_tensors("nextafter", input, other)
    dtype = result_type(input, other)
    if dtype.category != FLOATING or not dtype.promotes:
        raise DTypeError(f"nextafter: defined for floating dtypes; got {dtype.name}; convert with .float()")
    x, y = broadcast_tensors(input.detach().to(dtype), other.detach().to(dtype))
    found = _stepped(input.to(dtype), _next_number(x, y))
    if other.requires_grad:  # connect `other` to the result with a gradient of 0
        found = F.where(zeros_like(found, dtype=bool_), other, found)
    return found


@elementwise
class _stepped:
    """`other`, considered a step away from `input`; `input` receives the gradient of the result where they differ."""

    inputs = ("input", "other")
    no_gradient = ("other",)

    def value(F, input, other):
        return other

    def vjp_input(F, g, input, other):
        return F.where(input == other, 0, g)


def _next_number(x: Tensor, y: Tensor) -> Tensor:
    """Return the next number after x toward y; numbers of the same sign are ordered like their bits."""
    whole = {2: int16, 4: int32, 8: int64}[x.dtype.itemsize]
    away = no_record_ops.eq(no_record_ops.gt(y, x), no_record_ops.gt(x, 0))
    bits = no_record_ops.add(x.contiguous().view(whole), no_record_ops.where(away, 1, -1).to(whole))
    least = full((), 1, dtype=whole, device=x.device).view(x.dtype)
    moved = no_record_ops.where(no_record_ops.eq(x, 0), no_record_ops.copysign(least, y), bits.view(x.dtype))
    moved = no_record_ops.where(no_record_ops.eq(x, y), y, moved)
    return no_record_ops.where(
        no_record_ops.bitwise_and(no_record_ops.eq(x, x), no_record_ops.eq(y, y)), moved, no_record_ops.add(x, y)
    )


@function(method=True, changes=True, out=True)
def heaviside(F: Namespace, input: Tensor, values: Tensor) -> Tensor:
    """Return 0 for negative elements and NaN, 1 for positive elements, and `values` for 0. Both have the same dtype.

    `values` receives the gradient where `input` is 0. Not defined for complex numbers.

    Arguments:
        input: the numbers.
        values: the results at 0.

    >>> from facula_tensor import tensor
    >>> heaviside(tensor([-1.5, 0.0, 2.0]), tensor([0.5]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    require_tensors("heaviside", input, values)
    dtype = input.dtype
    if dtype is not values.dtype:
        raise DTypeError(f"heaviside: expected one dtype; got {dtype.name} and {values.dtype.name}; convert with .to()")
    if not is_real(dtype):
        raise DTypeError(f"heaviside: not defined for {dtype.name}; take real or imag first")
    x = input.detach()
    return F.where(no_record_ops.eq(x, 0), values, no_record_ops.gt(x, 0).to(dtype))
