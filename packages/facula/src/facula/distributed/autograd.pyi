"""Names of PyTorch's torch.distributed.autograd, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

backward: _Refusal
context: _Refusal
get_gradients: _Refusal
