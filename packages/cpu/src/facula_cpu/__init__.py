"""The CPU backend: plans that launch vectorised C kernels on host memory.

May import: facula_storage (layouts, plans), facula_allocator, facula_errors, NumPy, and its own C module `_kernels`.
Its rooms, each of which imports only earlier ones: `_runtime` (the kernel table, binding, threads), `_elementwise`
(loops, programs, copies), `_arrays` (reductions, indexing, lines), `_linalg` (products, decompositions) and `_layers`
(layers of networks). Planners of random draws and of optimizers are separate modules. Start at `_backend.py` (how an
operator finds its planner), then `_elementwise/elementwise.py` (the planner of most operators), then csrc/ (the
kernels; Note [The pool], Note [Elementwise]). `_portable.py` and `_tables.py` write programs for files.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

# Planners register themselves when their module is imported; each room imports its own.
from . import _adafactor as _adafactor
from . import _arrays as _arrays
from . import _elementwise as _elementwise
from . import _layers as _layers
from . import _linalg as _linalg
from . import _optimizer as _optimizer
from . import _random as _random
from ._backend import CpuBackend
from ._own import register_function, register_loop
from ._runtime.algorithms import get_convolution_algorithm, set_convolution_algorithm
from ._runtime.registry import level
from ._runtime.threads import get_num_threads, set_num_threads

_register("facula_cpu")

__all__ = [
    "CpuBackend", "get_convolution_algorithm", "get_num_threads", "level", "register_function", "register_loop",
    "set_convolution_algorithm", "set_num_threads",
]  # fmt: skip


__dir__ = _published(__name__)
