"""Linear algebra: matrix products, Fourier transforms, and decompositions (some by NumPy's LAPACK)."""

from . import decompositions as decompositions
from . import elimination as elimination
from . import fft as fft
from . import lapack as lapack
from . import matmul as matmul
from . import spectral as spectral
from . import triangle as triangle
from . import triangular_solve as triangular_solve
