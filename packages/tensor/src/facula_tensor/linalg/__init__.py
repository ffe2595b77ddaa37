"""Linear algebra by the names of `torch.linalg`.

What it is: functions of matrices (..., m, n), any number of them at once; `ops/` has what they are made of.
Where next: `_decompositions.py`, `_solving.py`, `_norms.py`. A module's `__all__` is what it adds here.
"""

from __future__ import annotations

from .._missing import listed
from ..ops.matrices import LinAlgError
from ._decompositions import cholesky, cholesky_ex
from ._norms import matrix_norm, norm, vector_norm
from ._solving import solve_triangular

__all__ = ["LinAlgError", "cholesky", "cholesky_ex", "matrix_norm", "norm", "solve_triangular", "vector_norm"]

__dir__ = listed(__name__)
