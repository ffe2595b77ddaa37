"""facula.return_types: the classes of results with named fields, such as those of `max(x, dim)` and `linalg.eigh(x)`.

>>> import facula
>>> isinstance(facula.ones(2, 2).max(0), facula.return_types.max)
True
"""

from __future__ import annotations

from typing import TypeAlias

import facula_tensor.linalg  # noqa: F401  whose results have names, too
from facula_tensor import Tensor
from facula_tensor.extend.names import return_types

from ._lookup.names import publish

__all__ = [
    "aminmax", "cummax", "cummin", "frexp", "histogram", "histogramdd", "kthvalue", "linalg_cholesky_ex",
    "linalg_eig", "linalg_eigh", "linalg_inv_ex", "linalg_lstsq", "linalg_lu", "linalg_lu_factor",
    "linalg_lu_factor_ex", "linalg_qr", "linalg_slogdet", "linalg_solve_ex", "linalg_svd", "lu_unpack", "max",
    "median", "min", "mode", "nanmedian", "qr", "slogdet", "sort", "svd", "topk", "triangular_solve",
]  # fmt: skip

Results: TypeAlias = type[tuple[Tensor, ...]]
_found = return_types()
aminmax: Results = _found["aminmax"]
cummax: Results = _found["cummax"]
cummin: Results = _found["cummin"]
frexp: Results = _found["frexp"]
histogram: Results = _found["histogram"]
histogramdd: Results = _found["histogramdd"]
kthvalue: Results = _found["kthvalue"]
linalg_cholesky_ex: Results = _found["linalg_cholesky_ex"]
linalg_eig: Results = _found["linalg_eig"]
linalg_eigh: Results = _found["linalg_eigh"]
linalg_inv_ex: Results = _found["linalg_inv_ex"]
linalg_lstsq: Results = _found["linalg_lstsq"]
linalg_lu: Results = _found["linalg_lu"]
linalg_lu_factor: Results = _found["linalg_lu_factor"]
linalg_lu_factor_ex: Results = _found["linalg_lu_factor_ex"]
linalg_qr: Results = _found["linalg_qr"]
linalg_slogdet: Results = _found["linalg_slogdet"]
linalg_solve_ex: Results = _found["linalg_solve_ex"]
linalg_svd: Results = _found["linalg_svd"]
lu_unpack: Results = _found["lu_unpack"]
max: Results = _found["max"]
median: Results = _found["median"]
min: Results = _found["min"]
mode: Results = _found["mode"]
nanmedian: Results = _found["nanmedian"]
qr: Results = _found["qr"]
slogdet: Results = _found["slogdet"]
sort: Results = _found["sort"]
svd: Results = _found["svd"]
topk: Results = _found["topk"]
triangular_solve: Results = _found["triangular_solve"]

publish(__name__)
