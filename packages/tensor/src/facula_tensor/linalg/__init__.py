"""Linear algebra by the names of `torch.linalg`.

What it is: functions of matrices (..., m, n), any number of them at once; `ops/` has what they are made of.
Where next: `_decompositions.py`, `_solving.py`, `_norms.py`. A module's `__all__` is what it adds here.
"""

from __future__ import annotations

from .._missing import listed
from ..ops.matrices import LinAlgError
from ._decompositions import cholesky, cholesky_ex, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from ._norms import matrix_norm, norm, vector_norm
from ._solving import det, inv, inv_ex, slogdet, solve, solve_ex, solve_triangular

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "inv_ex",
    "matrix_norm", "norm", "qr", "slogdet", "solve", "solve_ex", "solve_triangular", "svd", "svdvals",
    "vector_norm",
]  # fmt: skip

__dir__ = listed(__name__)
