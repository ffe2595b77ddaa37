"""Names of PyTorch's torch.cuda.nccl, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

version: Refusal
