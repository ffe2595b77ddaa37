"""facula.special: special functions. The names of facula_tensor.special."""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
