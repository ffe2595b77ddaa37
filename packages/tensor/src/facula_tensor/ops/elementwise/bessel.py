"""Modified Bessel functions of the first kind, of orders 0 and 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._core.promotion import floating
from ..._dispatch.declaration import elementwise
from .pointwise import is_real, unary

if TYPE_CHECKING:
    from ..._core.tensor import Tensor
    from ..._dispatch.namespaces import Namespace


@unary(
    "the modified Bessel function of the first kind of order 0 for each element",
    "[0.0, 1.0]",
    "[1.0000, 1.2661]",
    accepts=is_real,
)
def i0(F: Namespace, input: Tensor) -> Tensor:
    return F.i1(input)


@elementwise
class _i0e:
    """Return exp(-|x|) i0(x) for each element.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import i0e
    >>> i0e(tensor([0.0, 1000.0]))
    tensor([1.0000, 0.0126])
    """

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, input):
        return F.i1e(input) - F.sign(input) * F.i0e(input)


@elementwise
class _i1:
    """Return the modified Bessel function of the first kind of order 1 for each element.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import i1
    >>> i1(tensor([0.0, 1.0]))
    tensor([0.0000, 0.5652])
    """

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, input):
        zero = input == 0
        return F.where(zero, 0.5, F.i0(input) - F.i1(input) / F.where(zero, 1, input))


@elementwise
class _i1e:
    """Return exp(-|x|) i1(x) for each element.

    Integers are computed in the default floating dtype. Not defined for complex numbers.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.special import i1e
    >>> i1e(tensor([0.0, 1000.0]))
    tensor([0.0000, 0.0126])
    """

    compute_dtype = floating
    accepts = is_real

    def partial_input(F, input):
        zero = input == 0
        falling = F.i1e(input) * (F.sign(input) + F.reciprocal(F.where(zero, 1, input)))
        return F.where(zero, 0.5, F.i0e(input) - falling)
