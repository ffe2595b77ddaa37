"""The public functions of `linalg/_decompositions.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ..._dispatch.arguments import flag_value, refuse_choice
from ..._dispatch.namespaces import recorded_ops as ops
from ..._dispatch.overrides import overridable
from ..._dispatch.slow_path.writing import write_out
from ..._dispatch.written import bodies_of
from ...ops.linalg.cholesky import cholesky_of
from ...ops.linalg.eigenvalues import spectrum_of, upper_of
from ...ops.linalg.lu import solve_with_factors
from ...ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.tensor import Tensor
    from ...ops.named_results import NamedResults

bodies = bodies_of("linalg._decompositions")


@overridable
def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """A: matrices (..., n, n)."""
    try:
        A = matrices("linalg.cholesky", A, "A", square=True)
        if upper is not False and upper is not True:
            upper = flag_value("linalg.cholesky", "upper", upper)
        result = cholesky_of("linalg.cholesky", A, upper)[0]
        return result if out is None else write_out("linalg.cholesky", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def cholesky_ex(
    A: Tensor, *, upper: bool = False, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """A: matrices (..., n, n)."""
    try:
        A = matrices("linalg.cholesky_ex", A, "A", square=True)
        if upper is not False and upper is not True:
            upper = flag_value("linalg.cholesky_ex", "upper", upper)
        return bodies.cholesky_ex(A, upper=upper, check_errors=check_errors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """A: matrices (..., m, n)."""
    try:
        A = matrices("linalg.qr", A, "A")
        if mode not in ("reduced", "complete", "r"):
            mode = refuse_choice("linalg.qr", "mode", mode, "'reduced', 'complete' or 'r'")
        return bodies.qr(A, mode, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def eigh(A: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """A: matrices (..., n, n)."""
    try:
        A = matrices("linalg.eigh", A, "A", square=True)
        return bodies.eigh(A, UPLO, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """A: matrices (..., n, n)."""
    try:
        A = matrices("linalg.eigvalsh", A, "A", square=True)
        name = "linalg.eigvalsh"
        result = spectrum_of(name, "eigvalsh", A, (upper_of(name, UPLO),))
        return result if out is None else write_out("linalg.eigvalsh", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def eig(A: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    try:
        A = matrices("linalg.eig", A, "A", square=True)
        return bodies.eig(A, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    try:
        A = matrices("linalg.eigvals", A, "A", square=True)
        result = spectrum_of("linalg.eigvals", "eigvals", A)
        return result if out is None else write_out("linalg.eigvals", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """A: matrices (..., m, n)."""
    try:
        A = matrices("linalg.svd", A, "A")
        if full_matrices is not False and full_matrices is not True:
            full_matrices = flag_value("linalg.svd", "full_matrices", full_matrices)
        return bodies.svd(ops, A, full_matrices, driver=driver, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """A: matrices (..., m, n)."""
    try:
        A = matrices("linalg.svdvals", A, "A")
        result = spectrum_of("linalg.svdvals", "svdvals", A)
        return result if out is None else write_out("linalg.svdvals", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu_factor(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> NamedResults:
    """A: matrices (..., m, n)."""
    try:
        A = matrices("linalg.lu_factor", A, "A")
        return bodies.lu_factor(A, pivot=pivot, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """A: matrices (..., m, n)."""
    try:
        A = matrices("linalg.lu_factor_ex", A, "A")
        return bodies.lu_factor_ex(A, pivot=pivot, check_errors=check_errors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> NamedResults:
    """A: matrices (..., m, n)."""
    try:
        A = matrices("linalg.lu", A, "A")
        return bodies.lu(ops, A, pivot=pivot, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None
) -> Tensor:
    try:
        LU = matrices("linalg.lu_solve", LU, "LU", square=True)
        B = matrices("linalg.lu_solve", B, "B")
        result = solve_with_factors("linalg.lu_solve", LU, pivots, B, left, adjoint)
        return result if out is None else write_out("linalg.lu_solve", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def lstsq(
    A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """A: matrices (..., m, n)."""
    try:
        A = matrices("linalg.lstsq", A, "A")
        return bodies.lstsq(A, B, rcond, driver=driver, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise
