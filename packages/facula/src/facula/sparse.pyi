"""Names of PyTorch's torch.sparse, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

BFloat16Tensor: _Kind
ByteTensor: _Kind
CharTensor: _Kind
DoubleTensor: _Kind
FloatTensor: _Kind
HalfTensor: _Kind
IntTensor: _Kind
LongTensor: _Kind
ShortTensor: _Kind
SparseSemiStructuredTensor: _Kind
check_sparse_tensor_invariants: _Kind
addmm: _Refusal
as_sparse_gradcheck: _Refusal
log_softmax: _Refusal
mm: _Refusal
softmax: _Refusal
solve: _Refusal
spdiags: _Refusal
sum: _Refusal
to_sparse_semi_structured: _Refusal
