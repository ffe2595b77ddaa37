"""Functions of the face itself that programs name and that are not there yet: they refuse to be called."""

from ._refusals import Refusal, Refusals

__all__ = [
    "sparse_bsc_tensor", "sparse_bsr_tensor", "sparse_compressed_tensor", "sparse_coo_tensor", "sparse_csc_tensor",
    "sparse_csr_tensor",
]  # fmt: skip

_sparse = Refusals("", "tensors are dense: use zeros(...).index_put(indices, values), scatter_add or index_add")
sparse_bsc_tensor: Refusal = _sparse.function("sparse_bsc_tensor")
sparse_bsr_tensor: Refusal = _sparse.function("sparse_bsr_tensor")
sparse_compressed_tensor: Refusal = _sparse.function("sparse_compressed_tensor")
sparse_coo_tensor: Refusal = _sparse.function("sparse_coo_tensor")
sparse_csc_tensor: Refusal = _sparse.function("sparse_csc_tensor")
sparse_csr_tensor: Refusal = _sparse.function("sparse_csr_tensor")
