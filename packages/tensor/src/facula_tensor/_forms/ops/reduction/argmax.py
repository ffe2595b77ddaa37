"""The public functions of `ops/reduction/argmax.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import axis_for
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ....ops.reduction.extremes import along_one

if TYPE_CHECKING:
    from ...._core.tensor import Tensor


@overridable
@method()
def argmax(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension; all elements if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "argmax")
        if keepdims:
            keepdim = keepdims
        return ops.argmax(*along_one("argmax", input, dim, keepdim), out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def argmin(
    input: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    axis: int | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension; all elements if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "argmin")
        if keepdims:
            keepdim = keepdims
        return ops.argmin(*along_one("argmin", input, dim, keepdim), out)
    except FaculaError as error:
        trim_traceback(error)
        raise
