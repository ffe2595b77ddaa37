"""facula.linalg: linear algebra of matrices and batches of matrices. The names of facula_tensor.linalg."""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
