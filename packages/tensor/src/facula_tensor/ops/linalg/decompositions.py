"""Decompositions with their older names outside `linalg`: `qr`, `svd`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._core.tensor import layout_of_tensor
from ..._creation.filled import zeros
from ..._dispatch.written import function
from ..named_results import NamedResults, named_results, results_named
from .eigenvalues import spectrum_of, svd_of
from .qr import qr_of

if TYPE_CHECKING:
    from ..._dispatch.kinds import Matrices, Outs

QR = results_named("qr", "Q", "R")
SVD = results_named("svd", "U", "S", "V")


@function(method=True)
def qr(input: Matrices, some: bool = True, *, out: Outs = None) -> NamedResults:
    """Return Q and R with A = Q R, for matrices (..., m, n): the older form of `linalg.qr`.

    `some` False corresponds to mode="complete".

    Arguments:
        some: whether Q has only min(m, n) columns.

    >>> from facula_tensor import eye
    >>> qr(eye(2)).R.abs()
    tensor([[1., 0.],
            [0., 1.]])
    """
    return named_results("qr", QR, qr_of(input, "reduced" if some else "complete"), out)


@function(method=True)
def svd(input: Matrices, some: bool = True, compute_uv: bool = True, *, out: Outs = None) -> NamedResults:
    """Return U, S and V with A = U S V^H, for matrices (..., m, n): the older form of `linalg.svd`, which returns V^H.

    Without `compute_uv` U and V are zeros.

    Arguments:
        some: whether U and V have only min(m, n) columns.
        compute_uv: whether U and V are computed.

    >>> from facula_tensor import tensor
    >>> svd(tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.])
    """
    if compute_uv:
        return named_results("svd", SVD, svd_of("svd", input, not some), out)
    layout = layout_of_tensor(input)
    *batch, m, n = layout.shape
    U, V = (zeros(*batch, size, size, dtype=layout.dtype, device=layout.device) for size in (m, n))
    return named_results("svd", SVD, (U, spectrum_of("svd", "svdvals", input), V), out)
