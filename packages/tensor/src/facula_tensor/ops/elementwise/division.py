"""Quotients rounded down or toward zero, and remainders: Python's `//`, `%` and `divmod`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary, moved
from facula_storage.extend.layouts import BOOL, COMPLEX

from ..._core.promotion import floating, plain_number
from ..._core.tensor import Tensor, method
from ..._core.wrapped import WrappedLayout, is_traced
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import identity_grad, operators, recorded_ops, zero_grad
from ..._dispatch.slow_path.slow_call import slow_call

if TYPE_CHECKING:
    from typing import Literal

    from facula_storage import DType

    from ..._core.types import Operand

moved(__name__)  # resolves module names in pickles of earlier releases


def divisible(dtype: DType) -> bool:
    """Return True for any dtype but bool and complex dtypes."""
    return BOOL < dtype.category < COMPLEX


@elementwise
class div:
    """Divide the elements of each pair in floating point; integers are converted first.

    Arguments:
        input: the dividends.
        other: the divisors; dividends and divisors broadcast and promote.
        rounding_mode: None; or "floor" to round down, or "trunc" to round toward zero. Then integers stay integers.

    >>> from facula_tensor import tensor
    >>> tensor([1, 2]) / 4
    tensor([0.2500, 0.5000])
    >>> tensor([-7, 7]).div(2, rounding_mode="trunc")
    tensor([-3,  3])
    """

    method = quick = out = changes = True
    special_cases = {  # noqa: RUF012
        'rounding_mode == "floor"': "floor_divide",
        'rounding_mode == "trunc"': "trunc_divide",
    }

    @staticmethod
    def signature(input: Operand, other: Operand, *, rounding_mode: Literal[None, "floor", "trunc"] = None) -> None: ...

    dunders = ("__truediv__",)
    inplace_dunders = ("__itruediv__",)
    compute_dtype = floating
    widens = ("other",)

    def vjp_input(F, g, _input, other):
        return g / other

    def vjp_other(F, g, input, other):
        return -(g * (input / other) / other)


@elementwise
class floor_divide:
    """Divide the elements of each pair and round down. The gradient is 0.

    Integers stay integers; an integer divided by zero raises a ZeroDivisionError. Floating operands return inf or NaN.

    >>> from facula_tensor import tensor
    >>> tensor([7, -7]) // 2
    tensor([ 3, -4])
    """

    inputs = ("input", "other")
    dunders = ("__floordiv__",)
    reflected = ("__rfloordiv__",)
    inplace_dunders = ("__ifloordiv__",)
    accepts = divisible
    widens = ("other",)

    vjp_input = vjp_other = zero_grad


@elementwise
class _trunc_divide:
    """The quotient of each pair of elements, rounded toward zero."""

    inputs = ("input", "other")
    changes = True
    accepts = divisible
    widens = ("other",)

    vjp_input = vjp_other = zero_grad


@elementwise
class remainder:
    """Return the remainder of division with the quotient rounded down. It has the divisor's sign, as in Python.

    An integer divided by zero raises a ZeroDivisionError. Floating operands return NaN.

    >>> from facula_tensor import tensor
    >>> tensor([7, -7]) % 3
    tensor([1, 2])
    """

    inputs = ("input", "other")
    dunders = ("__mod__",)
    reflected = ("__rmod__",)
    inplace_dunders = ("__imod__",)
    accepts = divisible
    vjp_input = identity_grad

    def partial_other(F, input, other):
        return -F.floor_divide(input, other)


@elementwise
class fmod:
    """Return the remainder of division with the quotient rounded toward zero. It has the dividend's sign, as in C.

    An integer divided by zero raises a ZeroDivisionError. Floating operands return NaN.

    >>> from facula_tensor import tensor
    >>> fmod(tensor([7, -7]), 3)
    tensor([ 1, -1])
    """

    inputs = ("input", "other")
    accepts = divisible
    vjp_input = identity_grad

    def partial_other(F, input, other):
        return -F.trunc_divide(input, other)


@method("__rtruediv__")
@boundary
def div_by(self: Tensor, other: Operand) -> Tensor:
    """Return `other / self`.

    For a number it is the reciprocal times the number, so that the operand may change before the backward pass.
    """
    number = plain_number(other)
    if number is None or type(self._layout) is WrappedLayout or is_traced(self):
        return slow_call(operators["div"], (other, self), ())
    result = recorded_ops.reciprocal(self)
    if number == 1 and type(number) is not complex and result.node is None:
        return result
    return recorded_ops.mul(result, number)


@method("__divmod__")
@boundary
def divmod_of(self: Tensor, other: Operand) -> tuple[Tensor, Tensor]:
    """Return `(self // other, self % other)`."""
    quotient = operators["floor_divide"].library_call(self, other)
    return (
        NotImplemented if quotient is NotImplemented else (quotient, operators["remainder"].library_call(self, other))
    )


@method("__rdivmod__")
@boundary
def divmod_by(self: Tensor, other: Operand) -> tuple[Tensor, Tensor]:
    """Return `(other // self, other % self)`."""
    quotient = self.__rfloordiv__(other)
    return NotImplemented if quotient is NotImplemented else (quotient, self.__rmod__(other))
