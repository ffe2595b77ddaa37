"""The public functions of `ops/reduction/nan_reductions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import DTypeError, FaculaError
from facula_errors.extend import trim_traceback
from facula_storage.extend.layouts import COMPLEX, FLOATING

from ...._core.promotion import as_dtype
from ...._core.tensor import layout_of_tensor, method, steady
from ...._dispatch.arguments import axis_for
from ...._dispatch.namespaces import no_record_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.view_call import as_tensor
from ...._dispatch.written import bodies_of
from ....ops.reduction.arguments import reduction

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Dims, DTypeLike

bodies = bodies_of("ops.reduction.nan_reductions")


@overridable
@method()
def nansum(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    dtype: the dtype of the result.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "nansum")
        if keepdims:
            keepdim = keepdims
        return bodies.nansum(ops, input, dim, keepdim, dtype=dtype, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def nanmean(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    dtype: the dtype of the result.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "nanmean")
        if keepdims:
            keepdim = keepdims
        input = steady(as_tensor("nanmean", input))
        if dtype is not None:
            input = input.to(as_dtype(dtype, "nanmean"))
        kind = layout_of_tensor(input).dtype
        if kind.category < FLOATING:
            raise DTypeError(f"nanmean: not defined for {kind.name}; convert with .float(), or give dtype=")
        counted = no_record_ops.eq(input.detach(), input.detach())
        zeroed = ops.where(counted, input, 0) if kind.category == COMPLEX else ops.nan_to_zero(input)
        zeroed, parameters = reduction("nanmean", zeroed, dim, keepdim)
        result = ops.div(ops.sum(zeroed, parameters), no_record_ops.sum(counted, parameters))
        return result if out is None else write_out("nanmean", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
