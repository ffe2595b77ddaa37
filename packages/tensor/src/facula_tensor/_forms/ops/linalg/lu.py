"""The public functions of `ops/linalg/lu.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._core.tensor import method
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.slow_path.writing import write_out
from ...._dispatch.written import bodies_of
from ....ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...._core.tensor import Tensor
    from ....ops.named_results import NamedResults

bodies = bodies_of("ops.linalg.lu")


@overridable
@method()
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
    """A: matrices (..., m, n)."""
    try:
        A = matrices("lu", A, "A")
        return bodies.lu(A, pivot, get_infos, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu_unpack(
    LU_data: Tensor,
    LU_pivots: Tensor,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
    *,
    out: Sequence[Tensor] | None = None,
) -> NamedResults:
    try:
        LU_data = matrices("lu_unpack", LU_data, "LU_data")
        return bodies.lu_unpack(ops, LU_data, LU_pivots, unpack_data, unpack_pivots, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
@method()
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        b = matrices("lu_solve", b, "b")
        LU_data = matrices("lu_solve", LU_data, "LU_data", square=True)
        result = bodies.lu_solve(b, LU_data, LU_pivots)
        return result if out is None else write_out("lu_solve", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
