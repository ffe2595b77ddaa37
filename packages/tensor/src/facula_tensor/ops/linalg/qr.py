"""The QR decomposition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import UnsupportedError
from facula_storage import contiguous

from ..._core.tensor import Tensor, layout_of_tensor
from ..._creation.filled import empty
from ..._dispatch.declaration import operator
from ..._dispatch.namespaces import composite, recorded_ops

if TYPE_CHECKING:
    from ..._dispatch.namespaces import Namespace


@operator
class _qr:
    """Compute Q, and below it R transposed, with A = Q R, in one tensor: see Note [Packed results].

    The derivative: S. F. Walter, L. Lehmann, "Algorithmic differentiation of linear algebra functions", 2018.
    """

    parameters = ("complete",)
    holomorphic = False
    batching = "leading"

    def outputs(layout, complete):
        *batch, m, n = layout.shape
        return contiguous((*batch, m + n, m if complete else min(m, n)), layout.dtype, layout.device)

    def vjp_input(F, g, out, input_layout, complete):
        m, n = input_layout.shape[-2:]
        if complete and m > n:
            raise UnsupportedError(
                f"qr: there is no derivative with mode='complete' of a matrix with more rows than columns ({m} and "
                f"{n}); use mode='reduced'"
            )
        Q, R = F.rows(out, 0, m), F.mT(F.rows(out, m, n))
        of_Q, of_R = F.rows(g, 0, m), F.mT(F.rows(g, m, n))
        if m >= n:
            return F.square_qr_grad(Q, R, of_Q, of_R)
        rest, of_rest = F.matmul(Q, F.narrow(R, -1, m, n - m)), F.narrow(of_R, -1, m, n - m)
        of_Q = F.add(of_Q, F.matmul(rest, F.mH(of_rest)))
        first = F.square_qr_grad(Q, F.narrow(R, -1, 0, m), of_Q, F.narrow(of_R, -1, 0, m))
        return F.cat((first, F.matmul(Q, of_rest)), (len(input_layout.shape) - 1,))


@composite
def square_qr_grad(F: Namespace, Q: Tensor, R: Tensor, of_Q: Tensor, of_R: Tensor) -> Tensor:
    """Return the gradient for a square R."""
    inner = F.sub(F.matmul(of_R, F.mH(R)), F.matmul(F.mH(Q), of_Q))
    # The Hermitian matrix with the upper triangle of `inner` and the real part of its diagonal.
    upper = F.add(F.triangle(inner, (0, True)), F.triangle(inner, (1, True)))
    whole = F.add(of_Q, F.matmul(Q, F.mul(F.add(upper, F.mH(upper)), 0.5)))
    return F.mH(F.triangular_solve(R, F.mH(whole), (True, False)))


@operator
class _qr_r:
    """Compute R only, without a derivative."""

    batching = "leading"

    def outputs(layout):
        *batch, m, n = layout.shape
        return contiguous((*batch, min(m, n), n), layout.dtype, layout.device)

    def vjp_input(F, g):
        raise UnsupportedError("qr: there is no derivative with mode='r'; use mode='reduced'")


def qr_of(A: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """Return Q and R; mode is "reduced", "complete", or "r", for which Q is empty."""
    layout = layout_of_tensor(A)
    m, n = layout.shape[-2:]
    if mode == "r":
        return empty(0, dtype=layout.dtype, device=layout.device), recorded_ops.qr_r(A)
    packed = recorded_ops.qr(A, (mode == "complete",))
    F = recorded_ops
    return F.clone(F.rows(packed, 0, m)), F.clone(F.mT(F.rows(packed, m, n)))
