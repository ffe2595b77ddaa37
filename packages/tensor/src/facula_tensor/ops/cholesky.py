"""The Cholesky decomposition of positive definite matrices, and the systems solved with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_errors.extend import boundary
from facula_storage import contiguous

from .._core.tensor import Tensor, layout_of_tensor, method
from .._creation.ranges import eye
from .._dispatch.declaration import operator
from .._dispatch.namespaces import composite, recorded_ops
from .._dispatch.overrides import overridable
from .._dispatch.writing import write_out
from .matrices import check_info, check_same, expand_batches, matrices, status_layout

if TYPE_CHECKING:
    from .._dispatch.namespaces import Namespace

__all__ = ["cholesky", "cholesky_inverse", "cholesky_solve"]


@operator
class _cholesky_ex:
    """L with L L^H = A from the lower triangle of A, or U with U^H U = A from the upper one.

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
    """The gradient by A of the decomposition, a Hermitian matrix, from its factor `out` and the gradient `g` of that.

    L^-H S L^-1, S the Hermitian part of tril(L^H g) with its diagonal halved (I. Murray, "Differentiation of the
    Cholesky decomposition", 2016).
    """
    L = F.mH(out) if upper else out
    product = F.matmul(F.mH(L), F.mH(g) if upper else g)
    lower = F.add(F.triangle(product, (0, False)), F.triangle(product, (-1, False)))  # twice, but for the diagonal
    middle = F.mul(F.add(lower, F.mH(lower)), 0.25)
    transposed = F.mH(L)
    left = F.triangular_solve(transposed, middle, (True, False))
    return F.mH(F.triangular_solve(transposed, F.mH(left), (True, False)))


def not_definite(order: int) -> str:
    """The error's text for `info` other than 0."""
    return f"expected a positive definite matrix; got one whose leading minor of order {order} is not positive"


def cholesky_of(name: str, A: Tensor, upper: bool, check: bool = True) -> tuple[Tensor, Tensor]:
    """The factor (U where `upper`, else L) and `info`.

    LinAlgError, with the function's name, where `check` and a matrix is not positive definite.
    """
    factor, info = recorded_ops.cholesky_ex(matrices(name, A, square=True), (bool(upper),))
    if check:
        check_info(name, info, not_definite)
    return factor, info


@overridable
@method()
@boundary
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The Cholesky factors of Hermitian positive definite matrices: L with L L^H = A, or U with U^H U = A.

    Arguments:
        input: A, of shape (..., n, n).
        upper: whether the result is U; then the upper triangle of A is read.
        out: a tensor that takes the result, or None.

    Raises:
        LinAlgError: where a matrix is not positive definite.

    >>> from facula_tensor import tensor
    >>> cholesky(tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]])
    """
    return write_out("cholesky", cholesky_of("cholesky", input, upper)[0], out)


def solve_with_factor(B: Tensor, L: Tensor, upper: bool) -> Tensor:
    """X with A X = B by two substitutions, where A = L L^H, or L^H L with `upper`."""
    F = recorded_ops
    # Only the factor's triangle is read, and so the other may hold anything.
    first, second = (F.mH(L), L) if upper else (L, F.mH(L))
    return F.triangular_solve(second, F.triangular_solve(first, B, (False, False)), (True, False))


@overridable
@method()
@boundary
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """X with A X = B, where A is known by its Cholesky factor.

    Arguments:
        input: B, of shape (..., n, k).
        L: the factor (..., n, n); leading dimensions broadcast.
        upper: whether A = L^H L; else A = L L^H.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> cholesky_solve(tensor([[4.0], [8.0]]), tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[1.0000],
            [0.5000]])
    """
    name = "cholesky_solve"
    B, L = matrices(name, input, "input"), matrices(name, L, "L", square=True)
    check_same(name, B, L, ("input", "L"))
    if layout_of_tensor(B).shape[-2] != layout_of_tensor(L).shape[-1]:
        raise ArgumentError(
            f"{name}: expected input (..., n, k) and L (..., n, n); got shapes {tuple(B.shape)} and {tuple(L.shape)}"
        )
    L, B = expand_batches(name, L, B)
    return write_out(name, solve_with_factor(B, L, bool(upper)), out)


@overridable
@method()
@boundary
def cholesky_inverse(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of A, which is known by its Cholesky factor.

    Arguments:
        input: the factor L (..., n, n).
        upper: whether A = L^H L; else A = L L^H.
        out: a tensor that takes the result, or None.

    >>> from facula_tensor import tensor
    >>> cholesky_inverse(tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 0.0625]])
    """
    L = matrices("cholesky_inverse", input, "input", square=True)
    layout = layout_of_tensor(L)
    whole = eye(layout.shape[-1], dtype=layout.dtype, device=layout.device)
    whole = recorded_ops.expand(whole, layout.shape)
    return write_out("cholesky_inverse", solve_with_factor(whole, L, bool(upper)), out)
