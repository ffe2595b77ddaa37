"""The adapter of CuPy: linear algebra by cuSOLVER and cuBLAS, Fourier transforms by cuFFT.

`launches.py` makes plans and calls the functions of `linalg.py`, `spectral.py` and `fft.py` with CuPy's arrays over the
addresses of a launch; `samples.py` has the operands of comparisons. The contract of results is that of facula_cpu.
"""

from . import fft as _fft  # noqa: F401  # the modules register their operators
from . import linalg as _linalg  # noqa: F401
from . import spectral as _spectral  # noqa: F401
from .launches import register_operators as _register_operators

_register_operators()
