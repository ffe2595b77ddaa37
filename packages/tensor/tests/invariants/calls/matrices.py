"""Calls of products, systems of equations, decompositions and Fourier transforms."""

from __future__ import annotations

from typing import Any

import facula_tensor as ft
from facula_tensor.extend import recorded_ops as F

from .operands import square


def definite(x: Any) -> Any:
    """A positive definite matrix made of `x`."""
    x = x * 1  # seen at one moment
    return x @ x.mT + ft.eye(3, dtype=x.dtype, device=x.device)


MATRICES = {
    "adjugate": lambda x, y: F.adjugate(square(x)),
    "adjugate_grad": lambda x, y: F.adjugate_grad(square(x), square(y).detach()),
    "cholesky_ex": lambda x, y: ft.cholesky(definite(x)),
    "det": lambda x, y: ft.det(square(x)),
    "eig": lambda x, y: ft.linalg.eig(square(x)).eigenvectors.abs(),
    "eigh": lambda x, y: ft.linalg.eigh(definite(x)).eigenvectors,
    "eigvals": lambda x, y: ft.linalg.eigvals(square(x)),
    "eigvalsh": lambda x, y: ft.linalg.eigvalsh(definite(x)),
    "fft_complex": lambda x, y: ft.fft.fft(x.to(ft.complex128)),
    "fft_from_real": lambda x, y: ft.fft.rfft(x),
    "fft_to_real": lambda x, y: ft.fft.irfft(x.to(ft.complex128)),
    "inv_ex": lambda x, y: ft.linalg.inv(square(x)),
    "linear": lambda x, y: F.linear(x, y, x[0, :3]),
    "linear_weight_grad": lambda x, y: F.linear_weight_grad(x, y),
    "lu_factor_ex": lambda x, y: ft.linalg.lu_factor(square(x)).LU,
    "matmul": lambda x, y: x @ y.t(),
    "matrix_exp": lambda x, y: ft.matrix_exp(square(x)),
    "permutation_of": lambda x, y: F.permutation_of(ft.linalg.lu_factor(square(x.detach())).pivots, (3,)),
    "pinv": lambda x, y: ft.linalg.pinv(x),
    "qr": lambda x, y: ft.linalg.qr(x).R,
    "qr_r": lambda x, y: ft.linalg.qr(x.detach(), "r").R,
    "slogdet": lambda x, y: ft.slogdet(square(x)).logabsdet,
    "solve_ex": lambda x, y: ft.linalg.solve(square(x), y),
    "svd": lambda x, y: ft.linalg.svd(x, full_matrices=False).U,
    "svdvals": lambda x, y: ft.linalg.svdvals(x),
    "triangular_solve": lambda x, y: F.triangular_solve(square(x), square(y), (True, False)),
    "turned_sign": lambda x, y: F.turned_sign(square(x).to(ft.complex128), y[0, 0].detach().to(ft.complex128)),
}
