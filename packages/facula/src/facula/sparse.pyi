"""Names of PyTorch's torch.sparse, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

BFloat16Tensor: Kind
ByteTensor: Kind
CharTensor: Kind
DoubleTensor: Kind
FloatTensor: Kind
HalfTensor: Kind
IntTensor: Kind
LongTensor: Kind
ShortTensor: Kind
SparseSemiStructuredTensor: Kind
check_sparse_tensor_invariants: Kind
addmm: Refusal
as_sparse_gradcheck: Refusal
log_softmax: Refusal
mm: Refusal
softmax: Refusal
solve: Refusal
spdiags: Refusal
sum: Refusal
to_sparse_semi_structured: Refusal
