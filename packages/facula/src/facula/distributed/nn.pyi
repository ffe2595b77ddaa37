"""Names of PyTorch's torch.distributed.nn, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

RemoteModule: _Kind
all_gather: _Refusal
all_reduce: _Refusal
broadcast: _Refusal
