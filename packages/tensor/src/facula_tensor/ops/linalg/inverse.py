"""Linear systems and matrix inverses, by elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import ArgumentError
from facula_storage import contiguous, int32

from ..._core.tensor import Tensor, layout_of_tensor
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import recorded_ops
from ..._dispatch.slow_path.planning import broadcast_shapes
from ..._dispatch.view_call import as_tensor
from ..._dispatch.written import function
from .matrices import check_info, check_same, matrices, status_layout

if TYPE_CHECKING:
    from ..._dispatch.kinds import SquareMatrices


@operator
class _inv_ex:
    """Compute the inverse of matrices, and `info`: 0, or the index (from 1) of the first pivot that is 0."""

    results = ("out", "info")
    batching = "leading"

    def outputs(layout):
        return contiguous(layout.shape, layout.dtype, layout.device), status_layout(layout)

    def vjp_input(F, g, out):
        transposed = F.mT(out)
        return F.neg(F.matmul(F.matmul(transposed, g), transposed))


@operator
class _solve_ex:
    """Solve A X = B for broadcasting batches (..., n, n) and (..., n, k); `info` is that of the inverse."""

    inputs = ("A", "B")
    results = ("out", "info")
    broadcasts = True

    def batching(F, call):
        return call.wrap(call.run(call.aligned()))

    def outputs(a, b):
        batch = broadcast_shapes("solve", a.shape[:-2], b.shape[:-2])
        return contiguous((*batch, *b.shape[-2:]), b.dtype, b.device), contiguous(batch, int32, b.device)

    def vjp_A(F, g, A, out):
        return F.neg(F.matmul(F.solve_ex(F.mT(A), g)[0], F.mT(out)))

    def vjp_B(F, g, A):
        return F.solve_ex(F.mT(A), g)[0]


def singular(pivot: int) -> str:
    """Return the error message for a nonzero `info`."""
    return f"expected an invertible matrix; got one that is singular (pivot {pivot} of its elimination is 0)"


def inverse_of(name: str, A: Tensor, check: bool = True) -> tuple[Tensor, Tensor]:
    """Return the inverse of square A and `info`; with `check`, LinAlgError naming the function if one is singular."""
    result, info = recorded_ops.inv_ex(A)
    if check:
        check_info(name, info, singular)
    return result, info


def solution_of(name: str, A: Tensor, B: Tensor, left: bool = True, check: bool = True) -> tuple[Tensor, Tensor]:
    """Solve A X = B, or X A = B if not `left`; return X and `info`. A is square; B may be one vector for each matrix.

    With `check`, raises LinAlgError, with the function's name, if a matrix is singular.
    """
    a = layout_of_tensor(A).shape
    b = layout_of_tensor(as_tensor(name, B)).shape
    # Only its shape distinguishes a batch of vectors from a batch of matrices, as in PyTorch.
    is_vector = len(b) == 1 or (len(b) == len(a) - 1 and b == a[:-1])
    if is_vector and not left:
        raise ArgumentError(f"{name}: expected B to be matrices where left is False; got shape {b}")
    B = matrices(name, recorded_ops.unsqueeze(B, -1) if is_vector else B, "B")
    check_same(name, A, B)
    if a[-1] != layout_of_tensor(B).shape[-2 if left else -1]:
        raise ArgumentError(
            f"{name}: expected B to have {a[-1]} {'rows' if left else 'columns'} beside A {a}; got shape {b}"
        )
    if not left:
        A, B = recorded_ops.mT(A), recorded_ops.mT(B)
    result, info = recorded_ops.solve_ex(A, B)
    if check:
        check_info(name, info, singular)
    result = recorded_ops.squeeze(result, -1) if is_vector else result if left else recorded_ops.mT(result)
    return result, info


@function(method=True, out=True)
def inverse(input: SquareMatrices) -> Tensor:
    """Invert matrices (..., n, n): an alias of `linalg.inv`.

    >>> from facula_tensor import tensor
    >>> inverse(tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inverse_of("inverse", input)[0]
