"""Triangular linear systems, by substitution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import contiguous

from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.written import function
from ..named_results import NamedResults, named_results, results_named
from .matrices import check_same, expand_batches

if TYPE_CHECKING:
    from ..._dispatch.kinds import Matrices, Outs, SquareMatrices, Truth
    from ..._dispatch.namespaces import Namespace


@operator
class _triangular_solve:
    """Solve A X = B with an upper or lower triangular A: (n, n), or (..., n, n) for B (..., n, k)."""

    inputs = ("A", "B")
    parameters = ("upper", "unitriangular")
    broadcasts = True
    row_major = True

    def batching(F, call):
        a, b = call.wholes()
        if a.ndim < b.ndim:  # shared by the matrices of an element
            a = F.expand(F.reshape(a, (call.size, *(1,) * (b.ndim - 3), *a.shape[1:])), (*b.shape[:-2], *a.shape[1:]))
        return call.wrap(call.run((a, b)))

    def validate_layouts(a, b, upper, unitriangular):
        if a.shape[-1:] != b.shape[-2:-1] or (len(a.shape) > 2 and a.shape[:-2] != b.shape[:-2]):
            raise ArgumentError(
                f"triangular_solve: expected A (n, n) or (..., n, n) and B (..., n, k); got {a.shape}, {b.shape}"
            )

    def outputs(a, b, upper, unitriangular):
        return contiguous(b.shape, b.dtype, b.device)

    def vjp_A(F, g, A, out, upper, unitriangular):
        of_b = F.triangular_solve(F.mT(A), g, (not upper, unitriangular))
        return F.triangle(F.neg(F.matmul(of_b, F.mT(out))), (int(unitriangular) * (1 if upper else -1), upper))

    def vjp_B(F, g, A, upper, unitriangular):
        return F.triangular_solve(F.mT(A), g, (not upper, unitriangular))


def solve_triangular_of(name: str, A: Tensor, B: Tensor, upper: bool, left: bool, unitriangular: bool) -> Tensor:
    """Solve A X = B, or X A = B if not `left`, for X."""
    check_same(name, A, B)
    a, b = layout_of_tensor(A).shape, layout_of_tensor(B).shape
    if a[-1] != b[-2 if left else -1]:
        raise ArgumentError(
            f"{name}: expected B to have {a[-1]} {'rows' if left else 'columns'} beside A {a}; got shape {b}"
        )
    if not left:  # the same equation, transposed
        A, B, upper = recorded_ops.mT(A), recorded_ops.mT(B), not upper
    if len(a) > 2:
        A, B = expand_batches(name, A, B)
    result = recorded_ops.triangular_solve(A, B, (upper, unitriangular))
    return result if left else recorded_ops.mT(result)


TriangularSolution: type[NamedResults] = results_named("triangular_solve", "solution", "cloned_coefficient")


@function(method=True)
def triangular_solve(
    F: Namespace,
    b: Matrices,
    A: SquareMatrices,
    upper: Truth = True,
    transpose: bool = False,
    unitriangular: Truth = False,
    *,
    out: Outs = None,
) -> NamedResults:
    """Solve A X = b with a triangular A; return X and a copy of A: the older form of `linalg.solve_triangular`.

    A (..., n, n) and b (..., n, k) have broadcasting leading dimensions. `transpose` transposes A first.

    Arguments:
        b: the right-hand sides (..., n, k).
        A: triangular matrices (..., n, n).
        upper: whether A is upper triangular instead of lower.
        transpose: whether A is transposed first.
        unitriangular: whether the diagonal counts as ones.

    >>> from facula_tensor import tensor
    >>> triangular_solve(tensor([[4.0], [2.0]]), tensor([[1.0, 1.0], [0.0, 2.0]])).solution
    tensor([[3.],
            [1.]])
    """
    given = F.mT(A) if transpose else A
    solution = solve_triangular_of("triangular_solve", given, b, upper != bool(transpose), True, unitriangular)
    return named_results("triangular_solve", TriangularSolution, (solution, F.clone(A)), out)
