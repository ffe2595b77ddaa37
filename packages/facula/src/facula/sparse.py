"""facula.sparse: tensors that keep their nonzero elements alone: not there yet."""

from __future__ import annotations

from ._names import publish
from ._refusals import Kind, Refusal, Refusals

__all__ = [
    "BFloat16Tensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor",
    "LongTensor", "ShortTensor", "SparseSemiStructuredTensor", "addmm", "as_sparse_gradcheck",
    "check_sparse_tensor_invariants", "log_softmax", "mm", "softmax", "solve", "spdiags", "sum",
    "to_sparse_semi_structured",
]  # fmt: skip

_missing = Refusals("sparse", "tensors are dense: use zeros(...).index_put(indices, values), scatter_add or index_add")
BFloat16Tensor: Kind = _missing.kind("BFloat16Tensor")
ByteTensor: Kind = _missing.kind("ByteTensor")
CharTensor: Kind = _missing.kind("CharTensor")
DoubleTensor: Kind = _missing.kind("DoubleTensor")
FloatTensor: Kind = _missing.kind("FloatTensor")
HalfTensor: Kind = _missing.kind("HalfTensor")
IntTensor: Kind = _missing.kind("IntTensor")
LongTensor: Kind = _missing.kind("LongTensor")
ShortTensor: Kind = _missing.kind("ShortTensor")
SparseSemiStructuredTensor: Kind = _missing.kind("SparseSemiStructuredTensor")
addmm: Refusal = _missing.function("addmm")
as_sparse_gradcheck: Refusal = _missing.function("as_sparse_gradcheck")
check_sparse_tensor_invariants: Kind = _missing.kind("check_sparse_tensor_invariants")
log_softmax: Refusal = _missing.function("log_softmax")
mm: Refusal = _missing.function("mm")
softmax: Refusal = _missing.function("softmax")
solve: Refusal = _missing.function("solve")
spdiags: Refusal = _missing.function("spdiags")
sum: Refusal = _missing.function("sum")
to_sparse_semi_structured: Refusal = _missing.function("to_sparse_semi_structured")

publish(__name__)
