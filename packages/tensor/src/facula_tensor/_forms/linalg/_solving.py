"""The public functions of `linalg/_solving.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._dispatch.arguments import flag_value
from ..._dispatch.namespaces import recorded_ops as ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.written import bodies_of
from ...ops.linalg.inverse import inverse_of, solution_of
from ...ops.linalg.matrices import matrices
from ...ops.linalg.triangular_solve import solve_triangular_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.tensor import Tensor
    from ...ops.named_results import NamedResults

bodies = bodies_of("linalg._solving")


@overridable
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """A: matrices (..., n, n)."""
    try:
        A = matrices("linalg.solve", A, "A", square=True)
        result = solution_of("linalg.solve", A, B, left)[0]
        return result if out is None else write_out("linalg.solve", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """A: matrices (..., n, n)."""
    try:
        A = matrices("linalg.solve_ex", A, "A", square=True)
        return bodies.solve_ex(A, B, left=left, check_errors=check_errors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        A = matrices("linalg.inv", A, "A", square=True)
        result = inverse_of("linalg.inv", A)[0]
        return result if out is None else write_out("linalg.inv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def inv_ex(A: Tensor, *, check_errors: bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
    """A: matrices (..., n, n)."""
    try:
        A = matrices("linalg.inv_ex", A, "A", square=True)
        return bodies.inv_ex(A, check_errors=check_errors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        A = matrices("linalg.det", A, "A", square=True)
        result = ops.det(A)
        return result if out is None else write_out("linalg.det", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    try:
        A = matrices("linalg.slogdet", A, "A", square=True)
        return bodies.slogdet(ops, A, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None
) -> Tensor:
    """A: matrices (..., n, n)."""
    try:
        A = matrices("linalg.solve_triangular", A, "A", square=True)
        B = matrices("linalg.solve_triangular", B, "B")
        if upper is not False and upper is not True:
            upper = flag_value("linalg.solve_triangular", "upper", upper)
        if left is not False and left is not True:
            left = flag_value("linalg.solve_triangular", "left", left)
        if unitriangular is not False and unitriangular is not True:
            unitriangular = flag_value("linalg.solve_triangular", "unitriangular", unitriangular)
        result = solve_triangular_of("linalg.solve_triangular", A, B, upper, left, unitriangular)
        return result if out is None else write_out("linalg.solve_triangular", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
