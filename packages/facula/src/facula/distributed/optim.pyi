"""Names of PyTorch's torch.distributed.optim, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

DistributedOptimizer: Kind
ZeroRedundancyOptimizer: Kind
PostLocalSGDOptimizer: Kind
