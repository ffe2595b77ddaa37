"""Names of PyTorch's torch.autograd.profiler_legacy, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

profile: Kind
