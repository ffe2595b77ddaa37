"""facula.linalg: linear algebra of matrices, any number of them at once. The names of facula_tensor.linalg."""

from facula_tensor.linalg import (
    LinAlgError,
    cholesky,
    cholesky_ex,
    matrix_norm,
    norm,
    solve_triangular,
    vector_norm,
)

from ._names import publish

__all__ = ["LinAlgError", "cholesky", "cholesky_ex", "matrix_norm", "norm", "solve_triangular", "vector_norm"]

publish(__name__)
