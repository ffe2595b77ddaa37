"""The public functions of `ops/reduction/norms.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback
from facula_storage import bool_

from ...._core.promotion import as_real
from ...._core.tensor import method
from ...._dispatch.arguments import axis_for
from ...._dispatch.namespaces import no_record_ops
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of
from ....ops.reduction.arguments import reduction

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Dims, DTypeLike

bodies = bodies_of("ops.reduction.norms")


@overridable
@method()
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dims | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
) -> Tensor:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "norm")
        if keepdims:
            keepdim = keepdims
        return bodies.norm(ops, input, p, dim, keepdim, out, dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
@boundary
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    if type(p) is not float and type(p) is not int:
        p = as_real(p, "dist", "p")
    return bodies.dist(ops, input, other, p)


@overridable
@method()
def logsumexp(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "logsumexp")
        if keepdims:
            keepdim = keepdims
        return ops.logsumexp(*bodies.floating_reduction("logsumexp", input, dim, keepdim), out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def count_nonzero(input: Tensor, dim: Dims | None = None, *, axis: Dims | None = None) -> Tensor:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "count_nonzero")
        input, parameters = reduction("count_nonzero", input, dim, False)
        return no_record_ops.sum(no_record_ops.to(input, (bool_,)), parameters)
    except FaculaError as error:
        trim_traceback(error)
        raise
