"""Rows of operators on matrices: decompositions, systems of equations."""

import numpy as np
from harness import COMPLEX, Row

import facula_tensor as ft
from facula_tensor import linalg

BOTH = ("float64", "complex128")
DISTINCT = ("contiguous", "transposed", "sliced", "offset")  # with equal rows a matrix is singular
PRECISE = ("float32", "float64", *COMPLEX)  # LAPACK's dtypes


def matrix(name, function, reference, *shapes, **given):
    """A row of an operator on matrices, square ones unless `shapes` says otherwise."""
    given = {"dtypes": PRECISE, "gradient": BOTH, "loose": 100.0, "arity": max(len(shapes), 1), **given}
    return Row(name, function, reference, shapes=shapes or ((2, 3, 3),), **given)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def definite(x):
    """A Hermitian positive definite matrix of any matrix, of an array or a tensor."""
    if isinstance(x, np.ndarray):
        return x @ adjoint(x) + np.eye(x.shape[-1], dtype=x.dtype)
    if not (x.is_floating_point() or x.is_complex()):
        return x
    x = x * 1  # seen at one moment
    return x @ x.mH + ft.eye(x.shape[-1], dtype=x.dtype, device=x.device)


def solved(triangle):
    """The solution of a system with a triangle of the first matrix, whose diagonal is made large."""
    return lambda a, b: np.linalg.solve(triangle(a) + 9 * np.eye(a.shape[-1], dtype=a.dtype), b)


def heavy(x):
    """A tensor with 9 added to the diagonal."""
    if not (x.is_floating_point() or x.is_complex()):
        return x
    return x + 9 * ft.eye(x.shape[-1], dtype=x.dtype, device=x.device)


SOLVING = [
    matrix(
        "linalg.solve_triangular(upper)",
        lambda a, b, **out: linalg.solve_triangular(heavy(a), b, upper=True, **out),
        solved(np.triu),
        (3, 3),
        (2, 3, 2),
        out=True,
    ),
    matrix(
        "linalg.solve_triangular(lower)",
        lambda a, b: linalg.solve_triangular(heavy(a), b, upper=False),
        solved(np.tril),
        (2, 1, 9, 9),
        (3, 9, 33),
        gradient=(),
    ),
    matrix(
        "linalg.solve_triangular(lower, one column)",
        lambda a, b: linalg.solve_triangular(heavy(a), b, upper=False),
        solved(np.tril),
        (2, 35, 35),
        (35, 1),
        gradient=(),
    ),
    matrix(
        "linalg.solve_triangular(right)",
        lambda a, b: linalg.solve_triangular(heavy(a), b, upper=True, left=False),
        lambda a, b: b @ np.linalg.inv(np.triu(a) + 9 * np.eye(3, dtype=a.dtype)),
        (2, 3, 3),
        (2, 3),
    ),
    matrix(
        "linalg.solve_triangular(unit)",
        lambda a, b: linalg.solve_triangular(a, b, upper=False, unitriangular=True),
        lambda a, b: np.linalg.solve(np.tril(a, -1) + np.eye(3, dtype=a.dtype), b),
        (3, 3),
        (2, 3, 2),
    ),
    matrix(
        "triangular_solve(transpose)",
        lambda a, b: b.triangular_solve(heavy(a), transpose=True).solution,
        lambda a, b: np.linalg.solve(np.triu(a).T + 9 * np.eye(3, dtype=a.dtype), b),
        (3, 3),
        (3, 2),
    ),
]

CHOLESKY = [
    matrix(
        "linalg.cholesky",
        lambda x, **out: linalg.cholesky(definite(x), **out),
        lambda x: np.linalg.cholesky(definite(x)),
        out=True,
    ),
    matrix(
        "cholesky(upper)",
        lambda x, **out: ft.cholesky(definite(x), True, **out),
        lambda x: adjoint(np.linalg.cholesky(definite(x))),
        out=True,
    ),
    matrix(
        "cholesky_solve",
        lambda x, b, **out: ft.cholesky_solve(b, heavy(x), **out),
        lambda x, b: np.linalg.solve((low := np.tril(x) + 9 * np.eye(3, dtype=x.dtype)) @ adjoint(low), b),
        (2, 3, 3),
        (3, 2),
        out=True,
    ),
    matrix(
        "cholesky_inverse(upper)",
        lambda x, **out: (
            heavy(x).cholesky_inverse(upper=True) if not out else ft.cholesky_inverse(heavy(x), True, **out)
        ),
        lambda x: np.linalg.inv(adjoint(up := np.triu(x) + 9 * np.eye(3, dtype=x.dtype)) @ up),
        out=True,
    ),
]


def hermitian(x):
    """Half of a matrix and its adjoint, of an array or a tensor."""
    if isinstance(x, np.ndarray):
        return (x + adjoint(x)) / 2
    if not (x.is_floating_point() or x.is_complex()):
        return x
    x = x * 1  # seen at one moment
    return (x + x.mH) / 2


def magnitude_dtype(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


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
    return U @ (Vh * (S**2 + 1).unsqueeze(-1))


def with_svd(x):
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return u @ (vh * (s**2 + 1)[..., None])


def with_eig(x):
    values, vectors = np.linalg.eig(x)
    return np.abs(vectors).sum(-1) + np.abs(values).sum(-1, keepdims=True)


def of_qr(x, mode="reduced"):
    Q, R = linalg.qr(x, mode)
    return Q[..., :1].abs() + R.abs().sum(-1, keepdim=True).sum(-2, keepdim=True)


def with_qr(x):
    q, r = np.linalg.qr(x)
    return np.abs(q[..., :1]) + np.abs(r).sum((-1, -2), keepdims=True)


INVERSES = [
    matrix("linalg.inv", linalg.inv, np.linalg.inv, out=True),
    matrix("inverse", ft.inverse, np.linalg.inv, out=True),
    matrix("linalg.solve", linalg.solve, np.linalg.solve, (2, 3, 3), (3, 2), out=True),
    matrix(
        "linalg.solve(one vector)",
        linalg.solve,
        lambda a, b: np.linalg.solve(a, b[..., None])[..., 0],
        (2, 3, 3),
        (2, 3),
    ),
    matrix(
        "linalg.solve(right)",
        lambda a, b: linalg.solve(a, b, left=False),
        lambda a, b: b @ np.linalg.inv(a),
        (2, 3, 3),
        (4, 3),
    ),
    matrix("linalg.det", linalg.det, np.linalg.det, out=True),
    matrix("det(4)", ft.det, np.linalg.det, (4, 4)),
    matrix("det(1)", ft.det, np.linalg.det, (2, 1, 1)),
    matrix(
        "linalg.slogdet().logabsdet",
        lambda x: linalg.slogdet(x).logabsdet,
        lambda x: np.linalg.slogdet(x)[1],
        result=magnitude_dtype,
    ),
    matrix(
        "slogdet().sign",
        lambda x: ft.slogdet(x).sign,
        lambda x: np.linalg.slogdet(x)[0],
        gradient=("complex128",),
    ),
    matrix("logdet", lambda x: ft.logdet(definite(x)), lambda x: np.log(np.linalg.det(definite(x)))),
]

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
    """The exponential of a matrix, of its power series."""
    term = total = np.broadcast_to(np.eye(x.shape[-1], dtype=np.result_type(x, np.float64)), x.shape)
    for k in range(1, 90):
        term = term @ x / k
        total = total + term
    return total.astype(x.dtype)


def of_lu(x):
    P, L, U = linalg.lu(x)
    return P @ (L @ (U @ U.mH + L.mH @ L))


def with_lu(x):
    """The same by Gauss's elimination, written out for one matrix."""
    if x.ndim > 2:
        return np.stack([with_lu(one) for one in x])
    m, n = x.shape
    k = min(m, n)
    p, low, up = np.eye(m, dtype=x.dtype), np.eye(m, k, dtype=x.dtype), x.copy()
    for j in range(k):
        row = j + np.abs(up[j:, j]).argmax()
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
    matrix("linalg.lu(high)", of_lu, with_lu, (4, 2)),
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

MATRICES = [*SOLVING, *CHOLESKY, *INVERSES, *SPECTRA, *ELIMINATION, *FURTHER]
