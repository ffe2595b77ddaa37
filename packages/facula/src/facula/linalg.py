"""facula.linalg: norms of vectors and matrices. The names of facula_tensor.linalg."""

from facula_tensor.linalg import matrix_norm, norm, vector_norm

from ._names import publish

__all__ = ["matrix_norm", "norm", "vector_norm"]

publish(__name__)
