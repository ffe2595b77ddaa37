"""Cases of systems of equations, Cholesky factors and inverses."""

import numpy as np
from case import COMPLEX, Case

import facula_tensor as ft
from facula_tensor import linalg

BOTH = ("float64", "complex128")
DISTINCT = ("contiguous", "transposed", "sliced", "offset")  # a matrix with equal rows is singular
PRECISE = ("float32", "float64", *COMPLEX)  # LAPACK's dtypes


def matrix(name, function, reference, *shapes, **given):
    """Make a case of an operator on matrices, square ones unless `shapes` defines others."""
    given = {"dtypes": PRECISE, "gradient": BOTH, "loose": 100.0, "arity": max(len(shapes), 1), **given}
    return Case(name, function, reference, shapes=shapes or ((2, 3, 3),), **given)


def magnitude_dtype(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def definite(x):
    """Make a Hermitian positive definite matrix from any matrix, of an array or a tensor."""
    if isinstance(x, np.ndarray):
        return x @ adjoint(x) + np.eye(x.shape[-1], dtype=x.dtype)
    if not (x.is_floating_point() or x.is_complex()):
        return x
    x = x * 1  # a single read of the operand
    return x @ x.mH + ft.eye(x.shape[-1], dtype=x.dtype, device=x.device)


def solved(triangle):
    """Solve a system with a triangle of the first matrix, whose diagonal is enlarged."""
    return lambda a, b: np.linalg.solve(triangle(a) + 9 * np.eye(a.shape[-1], dtype=a.dtype), b)


def heavy(x):
    """Return a tensor with 9 added to the diagonal."""
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
