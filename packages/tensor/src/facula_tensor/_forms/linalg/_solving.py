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
from ...ops.linalg.matrices import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..._core.tensor import Tensor
    from ...ops.named_results import NamedResults

bodies = bodies_of("linalg._solving")


@overridable
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """Solve A X = B, or X A = B if not `left`, for X: A (..., n, n), B (..., n, k), or (..., k, n).

    Leading dimensions broadcast. B may be one vector (n,), or have the shape of A without the last dimension: one
    vector for each matrix. Raises LinAlgError if a matrix is singular. float32, float64, complex64, complex128.

    Arguments:
        A: matrices (..., n, n).
        B: the right-hand sides.
        left: whether A is on the left of X.

    >>> from facula_tensor import tensor
    >>> solve(tensor([[2.0, 0.0], [0.0, 4.0]]), tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    try:
        A = matrices("linalg.solve", A, "A", square=True)
        result = bodies.solve(A, B, left=left)
        return result if out is None else write_out("linalg.solve", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """Compute `solve` without raising unless `check_errors`; return (result, info) with an int32 status per matrix.

    `info` is 0, or the index (from 1) of the first zero pivot of the elimination; the result is then NaN.

    Arguments:
        A: matrices (..., n, n).
        B: the right-hand sides.
        left: whether A is on the left of X.
        check_errors: whether to raise LinAlgError on failure.

    >>> from facula_tensor import ones
    >>> solve_ex(ones(2, 2), ones(2)).info
    tensor(2, dtype=facula.int32)
    """
    try:
        A = matrices("linalg.solve_ex", A, "A", square=True)
        return bodies.solve_ex(A, B, left=left, check_errors=check_errors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Invert matrices (..., n, n); LinAlgError if one is singular. To solve a system, prefer `solve`.

    >>> from facula_tensor import tensor
    >>> inv(tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    try:
        A = matrices("linalg.inv", A, "A", square=True)
        result = bodies.inv(A)
        return result if out is None else write_out("linalg.inv", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def inv_ex(A: Tensor, *, check_errors: bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Compute `inv` without raising unless `check_errors`; return (inverse, info) with an int32 status per matrix.

    `info` is 0, or the index (from 1) of the first zero pivot of the elimination; the inverse is then NaN.

    Arguments:
        A: matrices (..., n, n).
        check_errors: whether to raise LinAlgError on failure.

    >>> from facula_tensor import zeros
    >>> inv_ex(zeros(2, 2)).info
    tensor(1, dtype=facula.int32)
    """
    try:
        A = matrices("linalg.inv_ex", A, "A", square=True)
        return bodies.inv_ex(A, check_errors=check_errors, out=out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the determinant of matrices (..., n, n): (...). The gradient is also correct for singular matrices.

    >>> from facula_tensor import tensor
    >>> det(tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    try:
        A = matrices("linalg.det", A, "A", square=True)
        result = ops.det(A)
        return result if out is None else write_out("linalg.det", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise


@overridable
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """Compute the sign and the log magnitude of determinants: (sign, logabsdet); 0 and -inf for singular matrices.

    A has shape (..., n, n). The sign for complex matrices is a number on the unit circle.

    >>> from facula_tensor import tensor
    >>> slogdet(tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
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
    """Solve A X = B, or X A = B if not `left`, for X, with an upper or lower triangular A.

    A has shape (..., n, n), B (..., n, k), or (..., k, n) if not `left`; leading dimensions broadcast. The other
    triangle of A is not read. With `unitriangular` the diagonal is not read either and counts as ones. Division by a
    zero on the diagonal gives infinity or NaN. float32, float64, complex64, complex128.

    Arguments:
        A: matrices (..., n, n).
        B: the right-hand sides.
        upper: whether A is upper triangular instead of lower.
        left: whether A is on the left of X.
        unitriangular: whether the diagonal counts as ones.

    >>> from facula_tensor import tensor
    >>> solve_triangular(tensor([[1.0, 1.0], [0.0, 2.0]]), tensor([[4.0], [2.0]]), upper=True)
    tensor([[3.],
            [1.]])
    """
    try:
        A = matrices("linalg.solve_triangular", A, "A", square=True)
        B = matrices("linalg.solve_triangular", B, "B")
        if upper is not False and upper is not True:
            upper = flag_value("linalg.solve_triangular", "upper", upper)
        if left is not False and left is not True:
            left = flag_value("linalg.solve_triangular", "left", left)
        if unitriangular is not False and unitriangular is not True:
            unitriangular = flag_value("linalg.solve_triangular", "unitriangular", unitriangular)
        result = bodies.solve_triangular(A, B, upper=upper, left=left, unitriangular=unitriangular)
        return result if out is None else write_out("linalg.solve_triangular", result, out)
    except FaculaError as error:
        trim_traceback(error)
        raise
