"""Names of PyTorch's torch.distributed.nn, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

RemoteModule: Kind
all_gather: Refusal
all_reduce: Refusal
broadcast: Refusal
