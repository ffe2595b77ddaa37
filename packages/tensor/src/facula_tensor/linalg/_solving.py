"""Systems of linear equations, inverses and determinants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.tensor import Tensor
from .._dispatch.written import function
from ..ops.linalg.determinants import sign_and_logarithm
from ..ops.linalg.inverse import inverse_of, solution_of
from ..ops.linalg.triangular_solve import solve_triangular_of
from ..ops.named_results import NamedResults, named_results, results_named

if TYPE_CHECKING:
    from .._dispatch.kinds import Matrices, Outs, SquareMatrices, Truth
    from .._dispatch.namespaces import Namespace

InvEx = results_named("linalg_inv_ex", "inverse", "info")
SolveEx = results_named("linalg_solve_ex", "result", "info")
Slogdet = results_named("linalg_slogdet", "sign", "logabsdet")


@function(label="linalg.solve", out=True, overridable=True)
def solve(A: SquareMatrices, B: Tensor, *, left: bool = True) -> Tensor:
    """X with A X = B, or X A = B where not `left`: A (..., n, n), B (..., n, k), or (..., k, n).

    Leading dimensions broadcast. B may be one vector (n,), or have the shape of A but for the last dimension: a vector
    for each matrix. LinAlgError where a matrix is singular. float32, float64, complex64, complex128.

    Arguments:
        B: the right-hand sides.
        left: whether A stands left of X.

    >>> from facula_tensor import tensor
    >>> solve(tensor([[2.0, 0.0], [0.0, 4.0]]), tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    return solution_of("linalg.solve", A, B, left)[0]


@function(label="linalg.solve_ex", overridable=True)
def solve_ex(
    A: SquareMatrices, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Outs = None
) -> NamedResults:
    """`solve`, and `info` (int32) for each matrix, without an error unless `check_errors`: the pair (result, info).

    `info` is 0, or the place (from 1) of the first pivot of elimination that is 0; the result is NaN there.

    Arguments:
        B: the right-hand sides.
        left: whether A stands left of X.
        check_errors: whether a failure raises LinAlgError.

    >>> from facula_tensor import ones
    >>> solve_ex(ones(2, 2), ones(2)).info
    tensor(2, dtype=facula.int32)
    """
    name = "linalg.solve_ex"
    return named_results(name, SolveEx, solution_of(name, A, B, left, check_errors), out)


@function(label="linalg.inv", out=True, overridable=True)
def inv(A: SquareMatrices) -> Tensor:
    """The inverse of matrices (..., n, n). LinAlgError where one is singular. To solve a system, `solve` is better.

    >>> from facula_tensor import tensor
    >>> inv(tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inverse_of("linalg.inv", A)[0]


@function(label="linalg.inv_ex", overridable=True)
def inv_ex(A: SquareMatrices, *, check_errors: bool = False, out: Outs = None) -> NamedResults:
    """`inv`, and `info` (int32) for each matrix, without an error unless `check_errors`: the pair (inverse, info).

    `info` is 0, or the place (from 1) of the first pivot of elimination that is 0; the inverse is NaN there.

    Arguments:
        check_errors: whether a failure raises LinAlgError.

    >>> from facula_tensor import zeros
    >>> inv_ex(zeros(2, 2)).info
    tensor(1, dtype=facula.int32)
    """
    return named_results("linalg.inv_ex", InvEx, inverse_of("linalg.inv_ex", A, check_errors), out)


@function(label="linalg.det", calls="det", out=True, overridable=True)
def det(A: SquareMatrices) -> None:
    """The determinant of matrices (..., n, n): (...). Its gradient is right where a matrix is singular, too.

    >>> from facula_tensor import tensor
    >>> det(tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(-2.)
    """


@function(label="linalg.slogdet", overridable=True)
def slogdet(F: Namespace, A: SquareMatrices, *, out: Outs = None) -> NamedResults:
    """The determinant of matrices (..., n, n) as the pair (sign, logabsdet): 0 and -inf of singular ones.

    The sign of complex matrices is a number on the unit circle.

    >>> from facula_tensor import tensor
    >>> slogdet(tensor([[-1.0, 0.0], [0.0, 1.0]])).sign
    tensor(-1.)
    """
    return named_results("linalg.slogdet", Slogdet, sign_and_logarithm(F, A), out)


@function(label="linalg.solve_triangular", out=True, overridable=True)
def solve_triangular(
    A: SquareMatrices, B: Matrices, *, upper: Truth, left: Truth = True, unitriangular: Truth = False
) -> Tensor:
    """X with A X = B, or X A = B where not `left`, of which A is upper or lower triangular.

    A (..., n, n), B (..., n, k), or (..., k, n) where not `left`; leading dimensions broadcast. The other triangle of A
    is not looked at, nor its diagonal where `unitriangular`: that counts as ones. A zero on the diagonal divides as
    numbers do. float32, float64, complex64, complex128.

    Arguments:
        B: the right-hand sides.
        upper: whether A is upper triangular, else lower.
        left: whether A stands left of X.
        unitriangular: whether the diagonal counts as ones.

    >>> from facula_tensor import tensor
    >>> solve_triangular(tensor([[1.0, 1.0], [0.0, 2.0]]), tensor([[4.0], [2.0]]), upper=True)
    tensor([[3.],
            [1.]])
    """
    return solve_triangular_of("linalg.solve_triangular", A, B, upper, left, unitriangular)
