"""The public functions of `ops/reduction/scans.py`, written by `python -m facula_tensor._forms`."""

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
from ....ops.memory.assignment import changed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ...._core.types import DTypeLike
    from ....ops.reduction.scans import Extremes

bodies = bodies_of("ops.reduction.scans")


@overridable
@method()
def logcumsumexp(
    input: Tensor, dim: int | None = None, *, axis: int | None = None, out: Tensor | None = None
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "logcumsumexp")
        return ops.logcumsumexp(*bodies.forwards("logcumsumexp", input, dim), out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def cumsum(
    input: Tensor,
    dim: int | None = None,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    dtype: the dtype of the result.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "cumsum")
        result = bodies.cumsum(ops, input, dim, dtype=dtype)
        return result if out is None else write_out("cumsum", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def cumsum_(self: Tensor, dim: int | None = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """`cumsum` in place: changes `self` and returns it. Arguments: those of `cumsum`."""
    try:
        return changed("cumsum_", self, bodies.cumsum, dim, dtype=dtype, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def cumprod(
    input: Tensor,
    dim: int | None = None,
    *,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    dtype: the dtype of the result.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "cumprod")
        result = bodies.cumprod(ops, input, dim, dtype=dtype)
        return result if out is None else write_out("cumprod", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@method()
def cumprod_(self: Tensor, dim: int | None = None, *, dtype: DTypeLike | None = None) -> Tensor:
    """`cumprod` in place: changes `self` and returns it. Arguments: those of `cumprod`."""
    try:
        return changed("cumprod_", self, bodies.cumprod, dim, dtype=dtype, leading=(ops,))
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def cummax(
    input: Tensor, dim: int | None = None, *, axis: int | None = None, out: Sequence[Tensor] | None = None
) -> Extremes:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "cummax")
        return bodies.cummax(ops, input, dim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def cummin(
    input: Tensor, dim: int | None = None, *, axis: int | None = None, out: Sequence[Tensor] | None = None
) -> Extremes:
    """input: the tensor.
    dim: the dimension.
    axis: NumPy's name of `dim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "cummin")
        return bodies.cummin(ops, input, dim, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
