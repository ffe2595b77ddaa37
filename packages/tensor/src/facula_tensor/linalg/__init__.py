"""Linear algebra with the names of `torch.linalg`.

Contents: functions of batches of matrices (..., m, n); `ops/linalg` has the operators that they use.
Where next: `_decompositions.py`, `_solving.py`, `_functions.py`, `_norms.py`.
"""

from __future__ import annotations

from facula_errors.extend import published

from ..ops.linalg.matrices import LinAlgError
from ._decompositions import (
    cholesky,
    cholesky_ex,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    lstsq,
    lu,
    lu_factor,
    lu_factor_ex,
    lu_solve,
    qr,
    svd,
    svdvals,
)
from ._functions import (
    cond,
    cross,
    diagonal,
    matmul,
    matrix_exp,
    matrix_power,
    matrix_rank,
    multi_dot,
    pinv,
    tensorinv,
    tensorsolve,
    vander,
    vecdot,
)
from ._norms import matrix_norm, norm, vector_norm
from ._solving import det, inv, inv_ex, slogdet, solve, solve_ex, solve_triangular

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh", "eigvals",
    "eigvalsh", "inv", "inv_ex", "lstsq", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "matmul", "matrix_exp",
    "matrix_norm", "matrix_power", "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve", "solve_ex",
    "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve", "vander", "vecdot", "vector_norm",
]  # fmt: skip

__dir__ = published(__name__)
