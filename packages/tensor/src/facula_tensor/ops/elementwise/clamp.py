"""Limits on elements: `clamp`, `clamp_min`, `clamp_max`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import moved

from ..._dispatch.declaration import elementwise
from .pointwise import is_real

if TYPE_CHECKING:
    from ..._core.types import Operand
    from ..._dispatch.kinds import Checked, Reals

moved(__name__)  # resolves module names in pickles of earlier releases


@elementwise
class clamp_min:
    """Return each element, or `min` if it is less. NaN propagates, from elements and from bounds.

    Element and bound broadcast and promote. At the bound the element receives the gradient.

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
        return F.where(input >= min, g, 0)

    def vjp_min(F, g, input, min):
        return F.where(input < min, g, 0)


@elementwise
class clamp_max:
    """Return each element, or `max` if it is greater. NaN propagates, from elements and from bounds.

    Element and bound broadcast and promote. At the bound the element receives the gradient.

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
        return F.where(input <= max, g, 0)

    def vjp_max(F, g, input, max):
        return F.where(input > max, g, 0)


@elementwise
class clamp:
    """Limit each element to the interval from `min` to `max`. NaN propagates, from elements and from bounds.

    If min > max, the result is max. At a bound the element receives the gradient; at NaN the gradient is 0.

    Arguments:
        min: the lower bound, a number or a tensor that broadcasts; None for no lower bound.
        max: the upper bound, a number or a tensor that broadcasts; None for no upper bound.

    Raises:
        ValueError: if both bounds are missing.

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
        return F.where((input >= min) & (input <= max), g, 0)

    def vjp_min(F, g, input, min, max):
        return F.where((input < min) & (min < max), g, 0)

    def vjp_max(F, g, input, min, max):
        return F.where((input > max) | (max < min), g, 0)


@elementwise
class _hardtanh:
    """Each element limited by two numbers; the gradient is 0 at a bound and at NaN."""

    inputs = ("input", "min", "max")
    kernel = "clamp"
    accepts = is_real
    inplace = False

    def vjp_input(F, g, input, min, max):
        return F.where((input > min) & (input < max), g, 0)
