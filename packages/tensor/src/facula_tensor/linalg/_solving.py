"""Systems of linear equations, inverses and determinants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._core.tensor import Tensor
from .._dispatch.overrides import overridable
from .._dispatch.writing import write_out
from ..ops.determinants import det_of, slogdet_of
from ..ops.inverses import inverse_of, solution_of
from ..ops.named_results import NamedResults, named_results, results_named
from ..ops.triangular import solve_triangular_out

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["det", "inv", "inv_ex", "slogdet", "solve", "solve_ex", "solve_triangular"]

InvEx = results_named("linalg_inv_ex", "inverse", "info")
SolveEx = results_named("linalg_solve_ex", "result", "info")
Slogdet = results_named("linalg_slogdet", "sign", "logabsdet")


@overridable
@boundary
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """X with A X = B, or X A = B where not `left`: A (..., n, n), B (..., n, k), or (..., k, n).

    Leading dimensions broadcast. B may be one vector (n,), or have the shape of A but for the last dimension: a vector
    for each matrix. LinAlgError where a matrix is singular. float32, float64, complex64, complex128.

    Arguments:
        A: matrices (..., n, n).
        B: the right-hand sides.
        left: whether A stands left of X.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> solve(tensor([[2.0, 0.0], [0.0, 4.0]]), tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    return write_out("linalg.solve", solution_of("linalg.solve", A, B, left)[0], out)


@overridable
@boundary
def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None
) -> NamedResults:
    """`solve`, and `info` (int32) for each matrix, without an error unless `check_errors`: the pair (result, info).

    `info` is 0, or the place (from 1) of the first pivot of elimination that is 0; the result is NaN there.

    Arguments:
        A: matrices (..., n, n).
        B: the right-hand sides.
        left: whether A stands left of X.
        check_errors: whether a failure raises LinAlgError.
        out: the tensors where the results go; new ones if None.

    >>> from facula_tensor import ones
    >>> solve_ex(ones(2, 2), ones(2)).info
    tensor(2, dtype=facula.int32)
    """
    name = "linalg.solve_ex"
    return named_results(name, SolveEx, solution_of(name, A, B, left, check_errors), out)


@overridable
@boundary
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of matrices (..., n, n). LinAlgError where one is singular. To solve a system, `solve` is better.

    >>> from facula_tensor import tensor
    >>> inv(tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return write_out("linalg.inv", inverse_of("linalg.inv", A)[0], out)


@overridable
@boundary
def inv_ex(A: Tensor, *, check_errors: bool = False, out: Sequence[Tensor] | None = None) -> NamedResults:
    """`inv`, and `info` (int32) for each matrix, without an error unless `check_errors`: the pair (inverse, info).

    `info` is 0, or the place (from 1) of the first pivot of elimination that is 0; the inverse is NaN there.

    Arguments:
        A: matrices (..., n, n).
        check_errors: whether a failure raises LinAlgError.
        out: the tensors where the results go; new ones if None.

    >>> from facula_tensor import zeros
    >>> inv_ex(zeros(2, 2)).info
    tensor(1, dtype=facula.int32)
    """
    return named_results("linalg.inv_ex", InvEx, inverse_of("linalg.inv_ex", A, check_errors), out)


@overridable
@boundary
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of matrices (..., n, n): (...). Its gradient is right where a matrix is singular, too.

    >>> from facula_tensor import tensor
    >>> det(tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """
    return det_of("linalg.det", A, out)


@overridable
@boundary
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> NamedResults:
    """The determinant of matrices (..., n, n) as the pair (sign, logabsdet): 0 and -inf of singular ones.

    The sign of complex matrices is a number on the unit circle.

    >>> from facula_tensor import tensor
    >>> slogdet(tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    return named_results("linalg.slogdet", Slogdet, slogdet_of("linalg.slogdet", A), out)


@overridable
@boundary
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None
) -> Tensor:
    """X with A X = B, or X A = B where not `left`, of which A is upper or lower triangular.

    A (..., n, n), B (..., n, k), or (..., k, n) where not `left`; leading dimensions broadcast. The other triangle of A
    is not looked at, nor its diagonal where `unitriangular`: that counts as ones. A zero on the diagonal divides as
    numbers do. float32, float64, complex64, complex128.

    Arguments:
        A: matrices (..., n, n).
        B: the right-hand sides.
        upper: whether A is upper triangular, else lower.
        left: whether A stands left of X.
        unitriangular: whether the diagonal counts as ones.
        out: where the result goes; a new tensor if None.

    >>> from facula_tensor import tensor
    >>> solve_triangular(tensor([[1.0, 1.0], [0.0, 2.0]]), tensor([[4.0], [2.0]]), upper=True)
    tensor([[3.],
            [1.]])
    """
    return solve_triangular_out("linalg.solve_triangular", A, B, upper, left, unitriangular, out)
