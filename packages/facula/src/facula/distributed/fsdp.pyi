"""Names of PyTorch's torch.distributed.fsdp, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

BackwardPrefetch: _Kind
CPUOffload: _Kind
FullStateDictConfig: _Kind
FullyShardedDataParallel: _Kind
MixedPrecision: _Kind
ShardingStrategy: _Kind
StateDictType: _Kind
fully_shard: _Refusal
OptimStateKeyType: _Kind
CPUOffloadPolicy: _Kind
FSDPModule: _Kind
MixedPrecisionPolicy: _Kind
OffloadPolicy: _Kind
