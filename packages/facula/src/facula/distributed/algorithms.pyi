"""Names of PyTorch's torch.distributed.algorithms, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

Join: _Kind
JoinHook: _Kind
Joinable: _Kind
