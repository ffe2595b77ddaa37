"""The public functions of `ops/reduction/truth.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.arguments import axis_for
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor
    from ...._core.types import Dims

bodies = bodies_of("ops.reduction.truth")


@overridable
@method()
def any(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "any")
        if keepdims:
            keepdim = keepdims
        return ops.any(*bodies.nonzero_mask("any", input, dim, keepdim, out), out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def all(
    input: Tensor,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    axis: Dims | None = None,
    keepdims: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """input: the tensor.
    dim: the dimension or dimensions; all of them if None.
    keepdim: whether to keep the reduced dimensions, with length 1.
    axis, keepdims: NumPy's names of `dim` and `keepdim`.
    """
    try:
        if axis is not None:
            dim = axis_for(dim, axis, "all")
        if keepdims:
            keepdim = keepdims
        return ops.all(*bodies.nonzero_mask("all", input, dim, keepdim, out), out)
    except FaculaError as error:
        trim_traceback(error)
        raise
