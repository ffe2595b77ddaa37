"""Names of PyTorch's torch.distributed.algorithms, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

Join: Kind
JoinHook: Kind
Joinable: Kind
