"""Systems of linear equations."""

from __future__ import annotations

from facula_errors.extend import boundary

from .._overrides import asks
from .._tensor import Tensor
from ..ops.triangular import solve_triangular_out

__all__ = ["solve_triangular"]


@asks
@boundary
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None
) -> Tensor:
    """X with A X = B, or X A = B where not `left`, of which A is upper or lower triangular.

    A (..., n, n), B (..., n, k), or (..., k, n) where not `left`; leading dimensions broadcast. The other triangle of A
    is not looked at, nor its diagonal where `unitriangular`: that counts as ones. A zero on the diagonal divides as
    numbers do. float32, float64, complex64, complex128.

    >>> from facula_tensor import tensor
    >>> solve_triangular(tensor([[1.0, 1.0], [0.0, 2.0]]), tensor([[4.0], [2.0]]), upper=True)
    tensor([[3.],
            [1.]])
    """
    return solve_triangular_out("linalg.solve_triangular", A, B, upper, left, unitriangular, out)
