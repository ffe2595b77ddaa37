"""facula.sparse: tensors that keep their nonzero elements alone: not there yet."""

from __future__ import annotations

from ._names import publish
from ._refusals import Refusals

__all__ = [
    "BFloat16Tensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor",
    "LongTensor", "ShortTensor", "SparseSemiStructuredTensor", "addmm", "as_sparse_gradcheck",
    "check_sparse_tensor_invariants", "log_softmax", "mm", "softmax", "solve", "spdiags", "sum",
    "to_sparse_semi_structured",
]  # fmt: skip

_missing = Refusals("sparse", "tensors are dense: use zeros(...).index_put(indices, values), scatter_add or index_add")
BFloat16Tensor = _missing.kind("BFloat16Tensor")
ByteTensor = _missing.kind("ByteTensor")
CharTensor = _missing.kind("CharTensor")
DoubleTensor = _missing.kind("DoubleTensor")
FloatTensor = _missing.kind("FloatTensor")
HalfTensor = _missing.kind("HalfTensor")
IntTensor = _missing.kind("IntTensor")
LongTensor = _missing.kind("LongTensor")
ShortTensor = _missing.kind("ShortTensor")
SparseSemiStructuredTensor = _missing.kind("SparseSemiStructuredTensor")
addmm = _missing.function("addmm")
as_sparse_gradcheck = _missing.function("as_sparse_gradcheck")
check_sparse_tensor_invariants = _missing.kind("check_sparse_tensor_invariants")
log_softmax = _missing.function("log_softmax")
mm = _missing.function("mm")
softmax = _missing.function("softmax")
solve = _missing.function("solve")
spdiags = _missing.function("spdiags")
sum = _missing.function("sum")
to_sparse_semi_structured = _missing.function("to_sparse_semi_structured")

publish(__name__)
