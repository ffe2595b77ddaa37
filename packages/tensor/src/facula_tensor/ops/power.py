"""Powers as users call them: the exponent has a name, and a number may be `self`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from .._core.tensor import Tensor, method
from .._dispatch.declaration import public_form
from .._dispatch.namespaces import operators
from . import arithmetic as _  # noqa: F401  declares the operator

if TYPE_CHECKING:
    from .._core.types import Operand

_walking = operators["pow"].library_call
_power, _power_ = operators["pow"].public, operators["pow"].changing


@public_form
@boundary
def pow(
    input: Operand | None = None,
    exponent: Operand | None = None,
    *,
    self: Operand | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Each element raised to the power of the exponent's.

    Integers stay integers where both are; 0 ** 0 is 1. ValueError for integers to the power of a negative number; where
    the exponents are a tensor, the negative ones give the integer part. `self` is another name of `input`, which
    PyTorch has for a number.

    Arguments:
        input: the bases.
        exponent: the exponents.
        self: another name of `input`.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> pow(tensor([1.0, 2.0, 3.0]), exponent=2)
    tensor([1., 4., 9.])
    """
    if self is not None:
        if input is not None:
            raise InvalidTypeError("pow: expected input or self, which are the same; got both")
        input = self
    result = _walking(input, exponent) if out is None else _power(input, exponent, out=out)
    return result if result is not NotImplemented else _power(input, exponent)  # which says what is wrong


@method("pow")
@boundary
def pow_method(self: Tensor, exponent: Operand) -> Tensor:
    """Each element raised to the power of the exponent's."""
    return _power(self, exponent)


@method()
@boundary
def pow_(self: Tensor, exponent: Operand) -> Tensor:
    """`pow` in place: changes this tensor and returns it."""
    return _power_(self, exponent)
