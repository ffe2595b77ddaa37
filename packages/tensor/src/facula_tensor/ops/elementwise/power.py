"""Powers: `pow` and `float_power`."""

from __future__ import annotations

import math
from math import inf, nan
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, InvalidTypeError
from facula_errors.extend import boundary, moved
from facula_storage import complex128, float16, float64, uint16, uint32, uint64
from facula_storage.extend.layouts import COMPLEX, INTEGER

from ..._core.promotion import promote_types, result_type
from ..._core.tensor import Tensor, method
from ..._creation.filled import full
from ..._dispatch.arguments import unusable
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.written import function
from ..memory.assignment import assign_inplace
from .arithmetic import numeric

if TYPE_CHECKING:
    from ..._core.types import Operand
    from ..._dispatch.kinds import FirstName
    from ..._dispatch.namespaces import Namespace

moved(__name__)  # resolves module names in pickles of earlier releases


WIDE = (uint16, uint32, uint64)


@elementwise
class pow:
    """Raise each element to the power of its exponent.

    Integers to the power of integers stay integers; 0 ** 0 is 1. An integer to the power of a negative number raises a
    ValueError; negative exponents in a tensor return the integer part. `self` is PyTorch's name of `input` for numbers.

    Arguments:
        input: the bases.
        exponent: the exponents.

    >>> from facula_tensor import tensor
    >>> pow(tensor([1.0, 2.0, 3.0]), exponent=2)
    tensor([1., 4., 9.])
    """

    method = out = changes = True

    @staticmethod
    def signature(input: Operand | None = None, exponent: Operand | None = None, *, self: FirstName = None) -> None: ...

    dunders = ("__pow__",)
    reflected = ("__rpow__",)
    inplace_dunders = ("__ipow__",)
    accepts = numeric
    reads_values = True

    def validate_values(input, exponent):
        if type(exponent) is int and exponent < 0 and isinstance(input, Tensor) and input.dtype.category <= INTEGER:
            raise ArgumentError(
                f"pow: integers have no integer power {exponent}; got {input.dtype.name}; convert with .float() first"
            )

    def decompose(F, operands, parameters):
        """Unsigned integers of more than 8 bits have the powers 0 and 1 only, and 1 has their powers, as in PyTorch."""
        base, exponent = operands
        if type(exponent) is int and 0 <= exponent <= 1 and base.dtype in WIDE:
            return F.clone(base) if exponent else F.ones_like(base)
        return F.ones_like(exponent) if type(base) is int and base == 1 and exponent.dtype in WIDE else None

    def direct(*layouts):
        return True

    # These rules branch on the values of numbers, so they call F (Note [Symbols in rules]).
    def vjp_input(F, g, input, exponent):
        if not isinstance(exponent, Tensor):
            if not exponent:
                return F.zeros_like(input)
            if input.is_complex() or isinstance(exponent, complex):
                return F.mul(g, F.mul(F.pow(input, exponent - 1), exponent))
            return F.pow_grad(g, input, exponent, exponent - 1)
        slope = F.mul(F.pow(input, F.sub(exponent, 1)), exponent)
        return F.where(F.eq(exponent, 0), 0, F.mul(g, slope))

    def vjp_exponent(F, g, input, exponent):
        flat = F.ge(F.real_view(exponent) if exponent.is_complex() else exponent, 0)
        if isinstance(input, Tensor):
            slope = F.mul(g, F.mul(F.pow(input, exponent), F.log(input)))
            return F.where(F.bitwise_and(F.eq(input, 0), flat), 0, slope)
        if exponent.is_complex() or isinstance(input, complex):
            log = F.log(full((), input, dtype=exponent.dtype, device=exponent.device))
        elif input == 0:
            log = F.sub(F.zeros_like(exponent), inf)
        else:
            log = math.log(input) if input > 0 else nan
        if input == 0:  # not where() on the slope: the next derivative would contain 0 * -inf, which is NaN
            log = F.where(flat, 0, log)
        return F.mul(g, F.mul(F.pow(input, exponent), log))


@elementwise
class _pow_grad:
    """input * (base ** less * exponent) for numbers `exponent` and `less`, in one pass."""

    inputs = ("input", "base", "exponent", "less")
    inplace = False

    def value(F, input, base, exponent, less):
        return input * (F.pow(base, less) * exponent)

    def vjp_input(F, g, base, exponent, less):
        return F.pow_grad(g, base, exponent, less)

    def vjp_base(F, g, input, base, exponent, less):
        return F.pow_grad(F.mul(g, F.mul(input, exponent)), base, less, less - 1) if less else F.zeros_like(base)


@method("pow")
@boundary
def pow_method(self: Tensor, exponent: Operand) -> Tensor:
    """Raise each element to the power of its exponent, as `pow`.

    >>> from facula_tensor import tensor
    >>> tensor([1.0, 2.0, 3.0]).pow(2)
    tensor([1., 4., 9.])
    """
    result = recorded_ops.pow(self, exponent)
    if result is NotImplemented:
        raise unusable("pow", (self, exponent))
    return result


@function(method=True, out=True)
def float_power(F: Namespace, input: Operand, exponent: Operand) -> Tensor:
    """Return `input ** exponent` in float64, or complex128. One of the operands may be a number.

    Arguments:
        input: the bases.
        exponent: the exponents.

    >>> from facula_tensor import tensor
    >>> float_power(tensor([2, 4]), -1)
    tensor([0.5000, 0.2500], dtype=facula.float64)
    """
    operands = [input, exponent]
    if not any(isinstance(operand, Tensor) for operand in operands):
        raise InvalidTypeError(f"float_power: expected a Tensor; got {type(input).__name__}; make one with tensor()")
    dtype = complex128 if promote_types(result_type(*operands), float16).category == COMPLEX else float64
    base, power = [operand.to(dtype) if isinstance(operand, Tensor) else operand for operand in operands]
    return F.pow(base, power)


@overridable
@method()
@boundary
def float_power_(self: Tensor, exponent: Operand) -> Tensor:
    """Apply `float_power` to this tensor, of float64 or complex128, in place and return it."""
    return assign_inplace("float_power_", self, float_power(self.clone(), exponent))
