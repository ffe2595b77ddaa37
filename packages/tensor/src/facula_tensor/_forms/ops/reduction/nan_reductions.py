"""The public functions of `ops/reduction/nan_reductions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import axis_for
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of

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
        result = bodies.nanmean(ops, input, dim, keepdim, dtype=dtype)
        return result if out is None else write_out("nanmean", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
