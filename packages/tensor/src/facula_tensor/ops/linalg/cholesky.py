"""The Cholesky decomposition of positive definite matrices, and solvers that use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import contiguous

from ..._core.tensor import Tensor, layout_of_tensor
from ..._creation.ranges import eye
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, recorded_ops
from ..._dispatch.written import function
from .matrices import check_info, check_same, expand_batches, status_layout

if TYPE_CHECKING:
    from ..._dispatch.kinds import Matrices, SquareMatrices, Truth
    from ..._dispatch.namespaces import Namespace


@operator
class _cholesky_ex:
    """Compute L with L L^H = A from the lower triangle of A, or U with U^H U = A from the upper one.

    `info` is 0, or the order of the first leading minor that is not positive definite.
    """

    parameters = ("upper",)
    results = ("out", "info")
    holomorphic = False
    batching = "leading"

    def outputs(layout, upper):
        return contiguous(layout.shape, layout.dtype, layout.device), status_layout(layout)

    def vjp_input(F, g, out, input_layout, upper):
        return F.cholesky_grad(g, out, upper)


@composite
def cholesky_grad(F: Namespace, g: Tensor, out: Tensor, upper: bool) -> Tensor:
    """Return the gradient by A of the decomposition, a Hermitian matrix, from its factor `out` and the gradient `g`.

    L^-H S L^-1, S the Hermitian part of tril(L^H g) with its diagonal halved (I. Murray, "Differentiation of the
    Cholesky decomposition", 2016).
    """
    L = F.mH(out) if upper else out
    product = F.matmul(F.mH(L), F.mH(g) if upper else g)
    lower = F.add(F.triangle(product, (0, False)), F.triangle(product, (-1, False)))  # doubled, except for the diagonal
    middle = F.mul(F.add(lower, F.mH(lower)), 0.25)
    transposed = F.contiguous(F.mH(L))
    left = F.triangular_solve(transposed, middle, (True, False))
    return F.mH(F.triangular_solve(transposed, F.mH(left), (True, False)))


def not_definite(order: int) -> str:
    """Return the error message for a nonzero `info`."""
    return f"expected a positive definite matrix; got one whose leading minor of order {order} is not positive"


def cholesky_of(name: str, A: Tensor, upper: bool, check: bool = True) -> tuple[Tensor, Tensor]:
    """Return the factor (U if `upper`, else L) of square matrices A, and `info`.

    With `check`, raises LinAlgError, with the function's name, if a matrix is not positive definite.
    """
    factor, info = recorded_ops.cholesky_ex(A, (upper,))
    if check:
        check_info(name, info, not_definite)
    return factor, info


@function(method=True, out=True)
def cholesky(input: SquareMatrices, upper: Truth = False) -> Tensor:
    """Compute Cholesky factors of Hermitian positive definite matrices: L with L L^H = A, or U with U^H U = A.

    Arguments:
        input: A, of shape (..., n, n).
        upper: whether to return U; the upper triangle of A is then read.

    Raises:
        LinAlgError: if a matrix is not positive definite.

    >>> from facula_tensor import tensor
    >>> cholesky(tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    return cholesky_of("cholesky", input, upper)[0]


def solve_with_factor(B: Tensor, L: Tensor, upper: bool) -> Tensor:
    """Solve A X = B by two substitutions, where A = L L^H, or L^H L with `upper`."""
    F = recorded_ops
    # Only the factor's triangle is read; the other may contain anything.
    adjoint = F.contiguous(F.mH(L))
    first, second = (adjoint, L) if upper else (L, adjoint)
    return F.triangular_solve(second, F.triangular_solve(first, B, (False, False)), (True, False))


@function(method=True, out=True)
def cholesky_solve(input: Matrices, L: SquareMatrices, upper: Truth = False) -> Tensor:
    """Solve A X = B for X from the Cholesky factor of A.

    Arguments:
        input: B, of shape (..., n, k).
        L: the factor (..., n, n); leading dimensions broadcast.
        upper: whether A = L^H L instead of L L^H.

    >>> from facula_tensor import tensor
    >>> cholesky_solve(tensor([[4.0], [8.0]]), tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[1.0000],
            [0.5000]])
    """
    name = "cholesky_solve"
    check_same(name, input, L, ("input", "L"))
    b, shape = layout_of_tensor(input).shape, layout_of_tensor(L).shape
    if b[-2] != shape[-1]:
        raise ArgumentError(f"{name}: expected input (..., n, k) and L (..., n, n); got shapes {b} and {shape}")
    L, B = expand_batches(name, L, input)
    return solve_with_factor(B, L, upper)


@function(method=True, out=True)
def cholesky_inverse(F: Namespace, input: SquareMatrices, upper: Truth = False) -> Tensor:
    """Compute the inverse of A from its Cholesky factor.

    Arguments:
        input: the factor L (..., n, n).
        upper: whether A = L^H L instead of L L^H.

    >>> from facula_tensor import tensor
    >>> cholesky_inverse(tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 0.0625]])
    """
    layout = layout_of_tensor(input)
    whole = eye(layout.shape[-1], dtype=layout.dtype, device=layout.device)
    return solve_with_factor(F.expand(whole, layout.shape), input, upper)
