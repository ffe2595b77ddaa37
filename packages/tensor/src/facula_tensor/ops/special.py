"""Special functions."""

from __future__ import annotations

from math import pi

from .._declare import elementwise
from .._promotion import floating
from .pointwise import real

__all__ = ["erf"]


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
