"""Names of PyTorch's torch.masked, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

MaskedTensor: Kind
as_masked_tensor: Refusal
is_masked_tensor: Refusal
masked_tensor: Refusal
amax: Refusal
amin: Refusal
mean: Refusal
norm: Refusal
prod: Refusal
softmax: Refusal
std: Refusal
sum: Refusal
var: Refusal
