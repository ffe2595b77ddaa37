"""NumPy's functions on Variables: loaded when NumPy first hands one over (`Variable.__array_ufunc__`).

Start reading at `_table.py`: what a declaration says. The declarations, by family: `_elementwise.py`,
`_reductions.py`, `_shapes.py`, `_joins.py`, `_curves.py`, `_products.py`, `_einsum.py`, `_linalg.py`, `_fft.py`, and
`_plain_results.py` for what gives plain values. `_dispatch.py` is what NumPy's protocols call. NumPy itself is found in
`sys.modules`: this package does not depend on it.
"""

from .._variable import PROTOCOLS
from . import _curves, _einsum, _elementwise, _fft, _joins, _linalg, _plain_results, _products, _reductions, _shapes  # noqa: F401
from ._dispatch import call_function, call_ufunc

PROTOCOLS["function"] = call_function
PROTOCOLS["ufunc"] = call_ufunc
