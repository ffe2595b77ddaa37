"""The public functions of `linalg/_norms.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._core.promotion import as_real
from ..._core.tensor import Tensor
from ..._dispatch.overrides import overridable
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ..._core.types import Dims, DTypeLike

bodies = bodies_of("linalg._norms")


@overridable
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """keepdim: whether to keep the reduced dimensions, with length 1."""
    try:
        if type(ord) is not float and type(ord) is not int:
            ord = as_real(ord, "linalg.vector_norm", "ord")
        return bodies.vector_norm(x, ord, dim, keepdim, dtype=dtype, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Dims | None = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DTypeLike | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """keepdim: whether to keep the reduced dimensions, with length 1."""
    try:
        return bodies.matrix_norm(A, ord, dim, keepdim, dtype=dtype, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Dims | None = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor:
    """keepdim: whether to keep the reduced dimensions, with length 1."""
    try:
        if not isinstance(A, Tensor):
            A = as_tensor("linalg.norm", A)
        return bodies.norm(A, ord, dim, keepdim, out=out, dtype=dtype)
    except FaculaError as error:
        trim_traceback(error)
        raise
