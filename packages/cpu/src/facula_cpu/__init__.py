"""The CPU backend: plans that launch vectorised C kernels on host memory.

May import: facula_storage (layouts, plans), facula_allocator, facula_errors, NumPy, and its own C module `_kernels`.
Look next: `_backend.py` (how an operator finds its planner), `_elementwise.py` (the planner most operators use),
`_registry.py` (the kernel table), csrc/ (the kernels; Note [The pool], Note [Elementwise]).
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

# Planners register themselves when their module is imported.
from . import _adafactor as _adafactor
from . import _attention as _attention
from . import _batch_norm as _batch_norm
from . import _convolution as _convolution
from . import _copy as _copy
from . import _cross_entropy as _cross_entropy
from . import _ctc as _ctc
from . import _fft as _fft
from . import _gather as _gather
from . import _given_taps as _given_taps
from . import _index as _index
from . import _lapack as _lapack
from . import _layer_norm as _layer_norm
from . import _lines as _lines
from . import _matmul as _matmul
from . import _moves as _moves
from . import _optimizer as _optimizer
from . import _pooling as _pooling
from . import _random as _random
from . import _recurrent as _recurrent
from . import _reduce as _reduce
from . import _resample as _resample
from . import _softmax as _softmax
from . import _spectral as _spectral
from . import _triangle as _triangle
from . import _triangular_solve as _triangular_solve
from ._backend import CpuBackend
from ._own import register_function, register_loop
from ._registry import level
from ._threads import get_num_threads, set_num_threads

_register("facula_cpu")

__all__ = ["CpuBackend", "get_num_threads", "level", "register_function", "register_loop", "set_num_threads"]


__dir__ = _published(__name__)
