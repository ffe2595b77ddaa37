"""Names of PyTorch's torch.distributed.autograd, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

backward: Refusal
context: Refusal
get_gradients: Refusal
