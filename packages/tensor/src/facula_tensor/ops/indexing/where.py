"""Elementwise selection from two tensors, and the positions of nonzero elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from facula_errors import DTypeError, FaculaError, InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import Layout, bool_

from ..._core.errors import show
from ..._core.promotion import result_type
from ..._core.tensor import Tensor, method
from ..._core.wrapped import is_traced
from ..._creation.from_data import tensor
from ..._dispatch.declaration import elementwise, public_form
from ..._dispatch.namespaces import no_record_ops, operators, recorded_ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.view_call import as_tensor
from .where_true import where_true

if TYPE_CHECKING:
    from ..._core.types import Operand


@elementwise
class _where:
    """Select elements of `input` where `condition` is true, of `other` elsewhere."""

    inputs = ("condition", "input", "other")
    mask_operands = 1
    inplace = False
    holomorphic = False

    def validate_layouts(condition, *layouts):
        if not isinstance(condition, Layout) or condition.dtype.name != "bool":
            got = (
                f"{show(condition)}; compare first, as in x > 0"
                if isinstance(condition, Layout)
                else condition.__name__
            )
            raise DTypeError(f"where: expected condition to be a bool tensor; got {got}")

    def decompose(F, operands, parameters):
        """Convert the first of two numbers to a tensor."""
        condition, input, other = operands
        if isinstance(input, Tensor) or isinstance(other, Tensor) or not isinstance(condition, Tensor):
            return None
        if is_traced(condition):
            return None
        return F.where(condition, tensor(input, dtype=result_type(input, other), device=condition.device), other)

    def vjp_input(F, g, condition):
        return F.where(condition, g, 0)

    def vjp_other(F, g, condition):
        return F.where(condition, 0, g)


_choose = operators["where"].library_call
_MISSING: Any = object()  # sentinel for an omitted argument


@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...
@overload
def where(condition: Tensor, input: Operand, other: Operand, *, out: Tensor | None = None) -> Tensor: ...


@public_form
def where(
    condition: Tensor, input: Operand = _MISSING, other: Operand = _MISSING, *, out: Tensor | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Select elements of `input` where `condition` is true, of `other` elsewhere.

    With `condition` alone: `nonzero(condition, as_tuple=True)`. The three broadcast; the last two promote.

    Arguments:
        condition: a bool tensor.
        input: a tensor or number.
        other: a tensor or number.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> where(tensor([True, False]), tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    >>> where(tensor([True, False, True]))
    (tensor([0, 2]),)
    """
    try:
        if input is _MISSING and other is _MISSING and out is None:
            return nonzero(condition, as_tuple=True)
        if input is _MISSING or other is _MISSING:
            raise InvalidTypeError(
                "where: expected condition, input and other, or condition alone; got two of the three"
            )
        return _choose(condition, input, other, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method("where")
@boundary
def where_method(self: Tensor, condition: Tensor, other: Operand) -> Tensor:
    """Select elements of this tensor where `condition` is true, of `other` elsewhere."""
    return recorded_ops.where(condition, self, other)


@overload
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...


@overridable
@method()
@boundary
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """Return the positions of nonzero elements in row-major order: (n, dimensions) int64.

    Arguments:
        input: any tensor.
        out: a tensor that takes the result, or None; not with `as_tuple`.
        as_tuple: whether to return a tuple of (n,) tensors, one for each dimension, which is usable as an index.

    >>> from facula_tensor import tensor
    >>> nonzero(tensor([[0, 3], [4, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    input = as_tensor("nonzero", input).detach()
    if input.is_meta:
        raise UnsupportedError(
            "nonzero: the result's shape depends on elements, which the meta device lacks; use another device"
        )
    mask = no_record_ops.to(input, (bool_,))
    if as_tuple and not mask.ndim:
        mask = no_record_ops.unsqueeze(mask, 0)
    if as_tuple and out is not None:
        raise InvalidTypeError("nonzero: expected out or as_tuple; got both")
    if not mask.ndim:
        return write_out("nonzero", where_true("nonzero_flat", mask, ()).view(-1, 1)[:, :0], out)
    places = where_true("nonzero", mask, (mask.ndim,))
    return places.unbind(1) if as_tuple else write_out("nonzero", places, out)
