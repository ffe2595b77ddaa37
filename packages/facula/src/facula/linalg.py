"""facula.linalg: linear algebra of matrices, any number of them at once. The names of facula_tensor.linalg."""

from facula_tensor.linalg import (
    LinAlgError,
    cholesky,
    cholesky_ex,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    inv_ex,
    matrix_norm,
    norm,
    qr,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
    svd,
    svdvals,
    vector_norm,
)

from ._names import publish

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "inv_ex",
    "matrix_norm", "norm", "qr", "slogdet", "solve", "solve_ex", "solve_triangular", "svd", "svdvals",
    "vector_norm",
]  # fmt: skip

publish(__name__)
