"""Reductions that ignore NaN: `nansum` and `nanmean`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError
from facula_storage import float32, float64
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ..._core.promotion import as_dtype
from ..._core.tensor import Tensor, layout_of_tensor, steady
from ..._dispatch.declaration import elementwise
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from ..elementwise.pointwise import is_real
from .arguments import reduction
from .sums import folded

if TYPE_CHECKING:
    from ..._core.types import DTypeLike
    from ..._dispatch.kinds import Axes, Flag, KeepDims, ReducedDims
    from ..._dispatch.namespaces import Namespace


@elementwise
class _nan_to_zero:
    """0 in place of NaN."""

    accepts = is_real

    def value(F, input):
        return F.where(input == input, input, 0)

    def vjp_input(F, g, input):
        return F.where(input == input, g, 0)


@function(method=True)
def nansum(
    F: Namespace,
    input: Tensor,
    dim: ReducedDims = None,
    keepdim: Flag = False,
    *,
    axis: Axes = None,
    keepdims: KeepDims = False,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sum of the elements that are not NaN, of all or along `dim`; 0 if there are none.

    Dtypes are those of `sum`; complex numbers raise a TypeError.

    >>> from facula_tensor import tensor
    >>> nansum(tensor([1.0, float("nan"), 2.0]))
    tensor(3.)
    """
    input = steady(as_tensor("nansum", input))
    kind = layout_of_tensor(input).dtype
    if kind.category == COMPLEX:
        raise DTypeError(f"nansum: not defined for {kind.name}; sum real and imaginary parts separately")
    if kind.category == FLOATING:
        input = F.nan_to_zero(input)
    if dtype is not None:
        return folded("sum", input, dim, keepdim, dtype, out)
    return F.sum(*reduction("nansum", input, dim, keepdim), out)


@function(method=True, out=True)
def nanmean(
    F: Namespace,
    input: Tensor,
    dim: ReducedDims = None,
    keepdim: Flag = False,
    *,
    axis: Axes = None,
    keepdims: KeepDims = False,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """Return the mean of the elements that are not NaN, of all or along `dim`; NaN if there are none.

    Integers raise a TypeError: convert them first, or pass `dtype`.

    >>> from facula_tensor import tensor
    >>> nanmean(tensor([1.0, float("nan"), 2.0]))
    tensor(1.5000)
    """
    input = steady(as_tensor("nanmean", input))
    if dtype is not None:
        input = input.to(as_dtype(dtype, "nanmean"))
    kind = layout_of_tensor(input).dtype
    if kind.category < FLOATING:
        raise DTypeError(f"nanmean: not defined for {kind.name}; convert with .float(), or give dtype=")
    counted = no_record_ops.eq(input.detach(), input.detach())
    zeroed = F.where(counted, input, 0) if kind.category == COMPLEX else F.nan_to_zero(input)
    zeroed, parameters = reduction("nanmean", zeroed, dim, keepdim)
    count = no_record_ops.sum(counted, parameters)
    if kind in (float32, float64):  # operands of one dtype take the fast path
        count = no_record_ops.to(count, (kind,))
    return F.div(F.sum(zeroed, parameters), count)
