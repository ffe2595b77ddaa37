"""Adapters: plans that call a library of NVIDIA or CuPy in place of our own kernels or of the CPU.

`library.py` finds a library and keeps its state; `adapters.py` compares it with the reference at its first use of each
operator and dtype. `cublaslt.py` has products of matrices, `cudnn.py` convolutions and attention, and `cupy` linear
algebra and Fourier transforms.
"""

from . import cublaslt as _cublaslt  # noqa: F401
from . import cudnn as _cudnn  # noqa: F401
from . import cupy as _cupy  # noqa: F401  # the modules register their operators
from .adapters import Request as Request
from .adapters import adapted as adapted
from .adapters import adapters as adapters
