"""facula.linalg: linear algebra of matrices, any number of them at once. The names of facula_tensor.linalg."""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
