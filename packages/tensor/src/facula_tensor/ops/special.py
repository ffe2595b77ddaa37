"""Special functions."""

from __future__ import annotations

from math import pi

from .._declare import elementwise
from .._promotion import floating
from .pointwise import real

__all__ = ["erf", "erfinv"]


@elementwise
class erf:
    """The error function of each element. Integers are computed in the default floating dtype.

    >>> from facula_tensor import tensor
    >>> erf(tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """

    compute = floating
    accepts = real

    def reverse_input(F, g, input):
        return F.mul(g, F.mul(F.exp(F.neg(F.mul(input, input))), 2 / pi**0.5))


@elementwise
class erfinv:
    """The number whose error function each element is: infinite at 1 and -1, NaN beyond.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> erfinv(tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """

    compute = floating
    accepts = real

    def reverse_input(F, g, out):
        return F.mul(g, F.mul(F.exp(F.mul(out, out)), pi**0.5 / 2))
