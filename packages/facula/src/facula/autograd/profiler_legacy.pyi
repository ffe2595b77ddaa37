"""Names of PyTorch's torch.autograd.profiler_legacy, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

profile: _Kind
