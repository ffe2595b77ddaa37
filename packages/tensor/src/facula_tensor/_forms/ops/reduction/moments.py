"""The public functions of `ops/reduction/moments.py`, written by `python -m facula_tensor._forms`."""

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
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ...._core.types import Dims

bodies = bodies_of("ops.reduction.moments")


@overridable
@method()
def var(
    input: Tensor,
    dim: Dims | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    correction: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "var")
        if keepdims:
            keepdim = keepdims
        result = bodies.var(ops, input, dim, unbiased, keepdim, correction=correction)
        return result if out is None else write_out("var", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def std(
    input: Tensor,
    dim: Dims | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    correction: float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "std")
        if keepdims:
            keepdim = keepdims
        result = bodies.std(ops, input, dim, unbiased, keepdim, correction=correction)
        return result if out is None else write_out("std", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def var_mean(
    input: Tensor,
    dim: Dims | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    correction: float | None = None,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "var_mean")
        if keepdims:
            keepdim = keepdims
        return bodies.var_mean(ops, input, dim, unbiased, keepdim, correction=correction, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def std_mean(
    input: Tensor,
    dim: Dims | None = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    correction: float | None = None,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "std_mean")
        if keepdims:
            keepdim = keepdims
        return bodies.std_mean(ops, input, dim, unbiased, keepdim, correction=correction, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
