"""Names of PyTorch's torch.distributed.optim, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

DistributedOptimizer: _Kind
ZeroRedundancyOptimizer: _Kind
PostLocalSGDOptimizer: _Kind
