"""NumPy's functions on Variables, loaded when NumPy first dispatches one (`Variable.__array_ufunc__`).

Start with `table.py`, which explains declarations. The declarations, by family: `elementwise.py`, `reductions.py`,
`shapes.py`, `joins.py`, `curves.py`, `products.py`, `einsum.py`, `linalg.py`, `fft.py`, and `plain_results.py` for
functions with plain results. NumPy's protocols call `dispatch.py`. NumPy itself is found in `sys.modules`: this package
does not depend on it.
"""

from ..variable import PROTOCOLS
from . import curves, einsum, elementwise, fft, joins, linalg, plain_results, products, reductions, shapes  # noqa: F401
from .dispatch import call_function, call_ufunc

PROTOCOLS["function"] = call_function
PROTOCOLS["ufunc"] = call_ufunc
