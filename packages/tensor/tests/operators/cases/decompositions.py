"""Cases of matrix decompositions and of functions based on them."""

import numpy as np

import facula_tensor as ft
from facula_tensor import linalg

from .solving import DISTINCT, PRECISE, adjoint, magnitude_dtype, matrix


def hermitian(x):
    """Return the Hermitian part of an array or a tensor."""
    if isinstance(x, np.ndarray):
        return (x + adjoint(x)) / 2
    if not (x.is_floating_point() or x.is_complex()):
        return x
    x = x * 1  # a single read of the operand
    return (x + x.mH) / 2


def complex_dtype(dtype):
    return {"float32": "complex64", "float64": "complex128"}.get(dtype, dtype)


def of_eigh(x):
    values, vectors = linalg.eigh(hermitian(x))
    return vectors @ (vectors.mH * (values**2 + 1).unsqueeze(-1))


def of_eig(x):
    values, vectors = linalg.eig(x)
    return vectors.abs().sum(-1) + values.abs().sum(-1, keepdim=True)


def of_svd(x):
    U, S, Vh = linalg.svd(x, full_matrices=False)
    return U @ (Vh * (S**3 + S).unsqueeze(-1))  # no share of vectors for zeros, which are arbitrary


def with_svd(x):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return u @ (vh * (s**3 + s)[..., None])


def with_eig(x):
    values, vectors = np.linalg.eig(x)
    return np.abs(vectors).sum(-1) + np.abs(values).sum(-1, keepdims=True)


def of_qr(x, mode="reduced"):
    Q, R = linalg.qr(x, mode)
    return Q[..., :1].abs() + R.abs().sum(-1, keepdim=True).sum(-2, keepdim=True)


def with_qr(x):
    q, r = np.linalg.qr(x)
    return np.abs(q[..., :1]) + np.abs(r).sum((-1, -2), keepdims=True)


SPECTRA = [
    matrix(
        "linalg.eigh",
        of_eigh,
        lambda x: (x := hermitian(x)) @ x + np.eye(x.shape[-1], dtype=x.dtype),
    ),
    matrix(
        "linalg.eigvalsh",
        lambda x, **out: linalg.eigvalsh(hermitian(x), **out),
        lambda x: np.linalg.eigvalsh(hermitian(x)),
        result=magnitude_dtype,
        out=True,
    ),
    matrix("linalg.eig", of_eig, with_eig, result=magnitude_dtype, loose=1e3),
    matrix(
        "linalg.eigvals",
        lambda x: linalg.eigvals(x).sum(-1),
        lambda x: np.trace(x, axis1=-2, axis2=-1).astype(np.result_type(x, np.complex64)),
        result=complex_dtype,
    ),
    matrix("linalg.svd", of_svd, with_svd),
    matrix("linalg.svd(high)", of_svd, with_svd, (2, 4, 2)),
    matrix("linalg.svd(wide)", of_svd, with_svd, (2, 4)),
    matrix(
        "svd(full)",
        lambda x: (parts := ft.svd(x, some=False)).U[..., :2] * parts.S @ parts.V[..., :2].mH,
        lambda x: x,
        (3, 2),
        loose=1e3,
    ),
    matrix(
        "linalg.svdvals",
        linalg.svdvals,
        lambda x: np.linalg.svd(x, compute_uv=False),
        (2, 4, 3),
        result=magnitude_dtype,
        out=True,
    ),
    matrix("linalg.qr", of_qr, with_qr, result=magnitude_dtype),
    matrix("linalg.qr(high)", of_qr, with_qr, (2, 4, 3), result=magnitude_dtype),
    matrix("linalg.qr(wide, complete)", lambda x: of_qr(x, "complete"), with_qr, (2, 4), result=magnitude_dtype),
    matrix("qr", lambda x: (parts := ft.qr(x)).Q @ parts.R, lambda x: x, (3, 2)),
    matrix(
        "linalg.qr(r)",
        lambda x: linalg.qr(x, "r").R.abs(),
        lambda x: np.abs(np.linalg.qr(x, "r")),
        (2, 3, 2),
        result=magnitude_dtype,
        gradient=(),
    ),
]


def series(x):
    """Compute the matrix exponential by its power series."""
    term = total = np.broadcast_to(np.eye(x.shape[-1], dtype=np.result_type(x, np.float64)), x.shape)
    for k in range(1, 90):
        term = term @ x / k
        total = total + term
    return total.astype(x.dtype)


def of_lu(x):
    P, L, U = linalg.lu(x)
    return P @ (L @ (U @ U.mH + L.mH @ L))


def with_lu(x):
    """Compute the LU decomposition of one matrix by Gaussian elimination."""
    if x.ndim > 2:
        return np.stack([with_lu(square) for square in x])
    m, n = x.shape
    k = min(m, n)
    p, low, up = np.eye(m, dtype=x.dtype), np.eye(m, k, dtype=x.dtype), x.copy()
    for j in range(k):
        row = j + (np.abs(up[j:, j].real) + np.abs(up[j:, j].imag)).argmax()  # as LAPACK compares
        up[[j, row]], low[[j, row], :j], p[[j, row]] = up[[row, j]], low[[row, j], :j], p[[row, j]]
        if up[j, j] != 0:
            low[j + 1 :, j] = up[j + 1 :, j] / up[j, j]
            up[j + 1 :] -= low[j + 1 :, j, None] * up[j]
    up = np.triu(up[:k])
    return p.T @ (low @ (up @ adjoint(up) + adjoint(low) @ low))


def solved_by_factors(left=True, adjoint=False):
    return lambda a, b, **out: linalg.lu_solve(*linalg.lu_factor(a), b, left=left, adjoint=adjoint, **out)


ELIMINATION = [
    matrix("linalg.lu", of_lu, with_lu),
    matrix("linalg.lu(high)", of_lu, with_lu, (4, 2), layouts=DISTINCT),
    matrix("linalg.lu(wide)", of_lu, with_lu, (2, 4)),
    matrix(
        "linalg.lu(panels)", lambda x: (lambda P, L, U: P @ L @ U)(*linalg.lu(x)), lambda x: x, (70, 75), gradient=()
    ),
    matrix("linalg.lu_solve", solved_by_factors(), np.linalg.solve, (2, 3, 3), (2, 3, 2), out=True),
    matrix(
        "linalg.lu_solve(right, adjoint)",
        solved_by_factors(False, True),
        lambda a, b: b @ np.linalg.inv(adjoint(a)),
        (2, 3, 3),
        (2, 2, 3),
    ),
    matrix(  # without a gradient, in one launch
        "operator solve_factors",
        lambda a, b: solved_by_factors(adjoint=True)(a.detach(), b.detach()),
        lambda a, b: np.linalg.solve(adjoint(a), b),
        (2, 5, 5),
        (2, 5, 4),
        gradient=(),
    ),
    matrix("lu_solve", lambda a, b: ft.lu_solve(b, *ft.lu(a)), np.linalg.solve, (2, 3, 3), (2, 3, 2)),
]

FURTHER = [
    matrix("linalg.pinv", linalg.pinv, np.linalg.pinv, (2, 4, 3), out=True),
    matrix("pinverse", ft.pinverse, np.linalg.pinv, (3, 4), gradient=()),
    matrix(
        "linalg.pinv(hermitian)",
        lambda x: linalg.pinv(hermitian(x), hermitian=True),
        lambda x: np.linalg.pinv(hermitian(x)),
    ),
    matrix(
        "linalg.lstsq",
        lambda a, b: linalg.lstsq(a, b).solution,
        lambda a, b: np.linalg.pinv(a) @ b,
        (2, 4, 3),
        (2, 4, 2),
    ),
    matrix(
        "linalg.matrix_rank",
        linalg.matrix_rank,
        np.linalg.matrix_rank,
        (2, 3, 2),
        result=lambda dtype: "int64",
        gradient=(),
    ),
    matrix("linalg.matrix_exp", linalg.matrix_exp, series, loose=1e3),
    matrix(
        "matrix_exp(large)",
        lambda x: ft.matrix_exp(x * 3),
        lambda x: series(x * 3),
        (3, 3),
        loose=1e5,
        rejects=False,
        gradient=(),
    ),
    matrix(
        "matrix_power(5)",
        lambda x, **out: ft.matrix_power(x, 5, **out),
        lambda x: np.linalg.matrix_power(x, 5),
        out=True,
        rejects=False,
    ),
    matrix("linalg.matrix_power(-2)", lambda x: linalg.matrix_power(x, -2), lambda x: np.linalg.matrix_power(x, -2)),
    *[
        matrix(
            f"linalg.cond({p})",
            lambda x, p=p: linalg.cond(x, p),
            lambda x, p=p: np.linalg.cond(x, p),
            result=magnitude_dtype,
            loose=1e3,
        )
        for p in (None, -2, 1, "fro", "nuc")
    ],
    *[
        matrix(
            f"linalg.matrix_norm({p})",
            lambda x, p=p, **out: linalg.matrix_norm(x, p, **out),
            lambda x, p=p: np.linalg.norm(x, p, (-2, -1)),
            (2, 3, 4),
            result=magnitude_dtype,
            out=True,
        )
        for p in (2, -2, "nuc")
    ],
    matrix(
        "linalg.multi_dot",
        lambda a, b, c, **out: linalg.multi_dot([a, b, c], **out),
        lambda a, b, c: a @ b @ c,
        (2,),
        (2, 3),
        (3, 4),
        rejects=False,
        out=True,
    ),
    matrix("chain_matmul", ft.chain_matmul, lambda a, b, c: a @ b @ c, (2, 3), (3, 1), (1, 4), rejects=False),
    matrix(
        "linalg.tensorinv",
        lambda x: linalg.tensorinv(x, 1),
        lambda x: np.linalg.tensorinv(x, 1),
        (4, 2, 2),
        layouts=DISTINCT,
    ),
    matrix("linalg.tensorsolve", linalg.tensorsolve, np.linalg.tensorsolve, (2, 2, 4), (2, 2), layouts=DISTINCT),
    matrix(
        "linalg.vander",
        lambda x: linalg.vander(x, 4),
        lambda x: x[..., None] ** np.arange(4),
        (2, 3),
        dtypes=("uint8", "int8", "int16", "int32", "int64", *PRECISE),
        result=lambda dtype: dtype if dtype in PRECISE else "int64",
    ),
    matrix("linalg.vecdot", linalg.vecdot, lambda a, b: (a.conj() * b).sum(-1), (2, 3), (3,), rejects=False, out=True),
    matrix("linalg.cross", linalg.cross, np.cross, (2, 3), (2, 3), rejects=False, out=True),
    matrix("linalg.diagonal", linalg.diagonal, lambda x: np.diagonal(x, 0, -2, -1), rejects=False),
]
