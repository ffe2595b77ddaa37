"""facula.fft: Fourier transforms. The names of facula_tensor.fft."""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
