"""Names of PyTorch's torch.masked, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

MaskedTensor: _Kind
as_masked_tensor: _Refusal
is_masked_tensor: _Refusal
masked_tensor: _Refusal
amax: _Refusal
amin: _Refusal
mean: _Refusal
norm: _Refusal
prod: _Refusal
softmax: _Refusal
std: _Refusal
sum: _Refusal
var: _Refusal
