"""Elements held between bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError, FaculaError, InvalidTypeError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import DType
from facula_storage.extend import COMPLEX

from .._core.errors import named
from .._core.tensor import Tensor, method
from .._dispatch.declaration import elementwise, public_form
from .._dispatch.fast.inplace import make_inplace_ternary
from .._dispatch.namespaces import operators
from .._dispatch.overrides import overridable
from .._dispatch.view_call import as_tensor
from .._dispatch.writing import write_out

if TYPE_CHECKING:
    from .._core.types import Operand


def ordered(dtype: DType) -> bool:
    """Any dtype but a complex one."""
    return dtype.category != COMPLEX


@elementwise
class clamp_min:
    """Each element, or `min` where it is less."""

    inputs = ("input", "min")
    kernel = "maximum"
    accepts = ordered

    def vjp_input(F, g, input, min):
        return F.where(F.ge(input, min), g, 0)

    def vjp_min(F, g, input, min):
        return F.where(F.lt(input, min), g, 0)


@elementwise
class clamp_max:
    """Each element, or `max` where it is greater."""

    inputs = ("input", "max")
    kernel = "minimum"
    accepts = ordered

    def vjp_input(F, g, input, max):
        return F.where(F.le(input, max), g, 0)

    def vjp_max(F, g, input, max):
        return F.where(F.gt(input, max), g, 0)


_bounded = {name: (operators[name].public, operators[name].changing) for name in ("clamp_min", "clamp_max")}


@public_form  # type: ignore[no-redef]
@boundary
def clamp_min(input: Tensor, min: Operand, *, out: Tensor | None = None) -> Tensor:  # noqa: F811  the operator, for users
    """Each element, or `min` where it is less. NaN stays NaN, and so does a bound of NaN.

    The two broadcast and promote. At the bound the gradient goes to the element.

    Arguments:
        input: a tensor of real numbers.
        min: the bound, a number or a tensor.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> clamp_min(tensor([-1.0, 0.5]), 0)
    tensor([0.0000, 0.5000])
    """
    return _bounded["clamp_min"][0](as_tensor("clamp_min", input), min, out=out)


@public_form  # type: ignore[no-redef]
@boundary
def clamp_max(input: Tensor, max: Operand, *, out: Tensor | None = None) -> Tensor:  # noqa: F811
    """Each element, or `max` where it is greater. NaN stays NaN, and so does a bound of NaN.

    The two broadcast and promote. At the bound the gradient goes to the element.

    Arguments:
        input: a tensor of real numbers.
        max: the bound, a number or a tensor.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> clamp_max(tensor([0.5, 3.0]), 1)
    tensor([0.5000, 1.0000])
    """
    return _bounded["clamp_max"][0](as_tensor("clamp_max", input), max, out=out)


@method()
@boundary
def clamp_min_(self: Tensor, min: Operand) -> Tensor:
    """`clamp_min` in place: changes this tensor and returns it."""
    return _bounded["clamp_min"][1](self, min)


@method()
@boundary
def clamp_max_(self: Tensor, max: Operand) -> Tensor:
    """`clamp_max` in place: changes this tensor and returns it."""
    return _bounded["clamp_max"][1](self, max)


@elementwise
class _clamp:
    """Each element between two bounds."""

    inputs = ("input", "min", "max")
    accepts = ordered
    inplace = False

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
    accepts = ordered
    inplace = False

    def vjp_input(F, g, input, min, max):
        return F.where(F.bitwise_and(F.gt(input, min), F.lt(input, max)), g, 0)


_between = operators["clamp"].library_call
_at_least, _at_most = operators["clamp_min"].library_call, operators["clamp_max"].library_call
_clamp_quick_ = make_inplace_ternary(operators["clamp"])


@overridable
@method()
def clamp(
    input: Tensor, min: Operand | None = None, max: Operand | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Each element, or the bound that it is beyond. NaN stays NaN, and so does a bound of NaN.

    Where min > max the result is max. At a bound the gradient goes to the element, and at NaN it is 0.

    Arguments:
        input: a tensor of real numbers.
        min: the lower bound, a number or a tensor that broadcasts; None for no such bound.
        max: the upper bound, likewise.
        out: a tensor that takes the result, or None.

    Raises:
        ValueError: where both bounds are missing.

    >>> from facula_tensor import tensor
    >>> clamp(tensor([-1.0, 0.5, 3.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    try:
        if max is None:
            if min is None:
                raise _no_bound("clamp")
            result = _at_least(input, min)
        elif min is None:
            result = _at_most(input, max)
        else:
            result = _between(input, min, max)
        if result is NotImplemented:
            raise named(
                InvalidTypeError(f"clamp: expected bounds that are numbers or tensors; got {min!r:.60} and {max!r:.60}")
            )
        return result if out is None else write_out("clamp", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def clamp_(self: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """`clamp` in place: changes this tensor and returns it."""
    if max is None:
        if min is None:
            raise _no_bound("clamp_")
        return operators["clamp_min"].changing(self, min)
    if min is None:
        return operators["clamp_max"].changing(self, max)
    return _clamp_quick_(self, min, max)


def _no_bound(operation: str) -> Exception:
    return named(ArgumentError(f"{operation}: expected min, max or both; got neither"))
