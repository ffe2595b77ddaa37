"""The public functions of `ops/reduction/order_statistics.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.promotion import as_integer
from ...._core.tensor import method
from ...._dispatch.arguments import axis_for
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.reduction.order_statistics import Extremes

bodies = bodies_of("ops.reduction.order_statistics")


@overridable
@method()
def kthvalue(
    input: Tensor,
    k: int,
    dim: int = -1,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Sequence[Tensor] | None = None,
) -> Extremes:
    """input: the tensor.
    dim: the dimension.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis
        if keepdims:
            keepdim = keepdims
        if type(k) is not int:
            k = as_integer(k, "kthvalue", "k")
        return bodies.kthvalue(ops, input, k, dim, keepdim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def median(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Tensor | Extremes:
    """input: the tensor.
    dim: the dimension; all elements if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "median")
        if keepdims:
            keepdim = keepdims
        return bodies.median(ops, input, dim, keepdim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def nanmedian(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Tensor | Sequence[Tensor] | None = None,
) -> Tensor | Extremes:
    """input: the tensor.
    dim: the dimension; all elements if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "nanmedian")
        if keepdims:
            keepdim = keepdims
        return bodies.nanmedian(ops, input, dim, keepdim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def mode(
    input: Tensor,
    dim: int = -1,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Sequence[Tensor] | None = None,
) -> Extremes:
    """input: the tensor.
    dim: the dimension.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis
        if keepdims:
            keepdim = keepdims
        return bodies.mode(ops, input, dim, keepdim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
