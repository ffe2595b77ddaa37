"""Powers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_errors.extend import moved
from facula_storage.extend import INTEGER

from ..._core.tensor import Tensor
from ..._dispatch.declaration import elementwise
from .arithmetic import numeric

if TYPE_CHECKING:
    from ..._core.types import Operand
    from ..._dispatch.kinds import FirstName

moved(__name__)  # names that pickles of earlier releases have


@elementwise
class pow:
    """Each element raised to the power of the exponent's.

    Integers stay integers where both are; 0 ** 0 is 1. ValueError for integers to the power of a negative number; where
    the exponents are a tensor, the negative ones give the integer part. `self` is another name of `input`, which
    PyTorch has for a number.

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

    def vjp_input(F, g, input, exponent):
        return F.power_grad(g, input, exponent)

    def vjp_exponent(F, g, input, exponent):
        return F.exponent_grad(g, input, exponent)
