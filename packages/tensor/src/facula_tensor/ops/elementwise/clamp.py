"""Elements held between bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import moved

from ..._dispatch.declaration import elementwise
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._core.types import Operand
    from ..._dispatch.kinds import Checked, Reals

moved(__name__)  # names that pickles of earlier releases have


@elementwise
class clamp_min:
    """Each element, or `min` where it is less. NaN stays NaN, and so does a bound of NaN.

    The two broadcast and promote. At the bound the gradient goes to the element.

    Arguments:
        min: the bound, a number or a tensor.

    >>> from facula_tensor import tensor
    >>> clamp_min(tensor([-1.0, 0.5]), 0)
    tensor([0.0000, 0.5000])
    """

    method = out = changes = True

    @staticmethod
    def signature(input: Checked, min: Operand) -> None: ...

    kernel = "maximum"
    accepts = is_real

    def vjp_input(F, g, input, min):
        return F.where(F.ge(input, min), g, 0)

    def vjp_min(F, g, input, min):
        return F.where(F.lt(input, min), g, 0)


@elementwise
class clamp_max:
    """Each element, or `max` where it is greater. NaN stays NaN, and so does a bound of NaN.

    The two broadcast and promote. At the bound the gradient goes to the element.

    Arguments:
        max: the bound, a number or a tensor.

    >>> from facula_tensor import tensor
    >>> clamp_max(tensor([0.5, 3.0]), 1)
    tensor([0.5000, 1.0000])
    """

    method = out = changes = True

    @staticmethod
    def signature(input: Checked, max: Operand) -> None: ...

    kernel = "minimum"
    accepts = is_real

    def vjp_input(F, g, input, max):
        return F.where(F.le(input, max), g, 0)

    def vjp_max(F, g, input, max):
        return F.where(F.gt(input, max), g, 0)


@elementwise
class clamp:
    """Each element, or the bound that it is beyond. NaN stays NaN, and so does a bound of NaN.

    Where min > max the result is max. At a bound the gradient goes to the element, and at NaN it is 0.

    Arguments:
        min: the lower bound, a number or a tensor that broadcasts; None for no such bound.
        max: the upper bound, likewise.

    Raises:
        ValueError: where both bounds are missing.

    >>> from facula_tensor import tensor
    >>> clamp(tensor([-1.0, 0.5, 3.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """

    method = overridable = out = changes = True
    accepts = is_real
    refuses = {"min is max is None": "min, max or both; got neither"}  # noqa: RUF012
    special_cases = {"max is None": "clamp_min", "min is None": "clamp_max"}  # noqa: RUF012

    @staticmethod
    def signature(input: Reals, min: Operand | None = None, max: Operand | None = None) -> None: ...

    def vjp_input(F, g, input, min, max):
        return F.where(F.bitwise_and(F.ge(input, min), F.le(input, max)), g, 0)

    def vjp_min(F, g, input, min, max):
        return F.where(F.bitwise_and(F.lt(input, min), F.lt(min, max)), g, 0)

    def vjp_max(F, g, input, min, max):
        return F.where(F.bitwise_or(F.gt(input, max), F.lt(max, min)), g, 0)


@elementwise
class _hardtanh:
    """Each element between two numbers; no gradient flows at a bound, nor at NaN."""

    inputs = ("input", "min", "max")
    kernel = "clamp"
    accepts = is_real
    inplace = False

    def vjp_input(F, g, input, min, max):
        return F.where(F.bitwise_and(F.gt(input, min), F.lt(input, max)), g, 0)
