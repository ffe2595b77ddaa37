"""Names of PyTorch's torch.distributed.fsdp, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

BackwardPrefetch: Kind
CPUOffload: Kind
FullStateDictConfig: Kind
FullyShardedDataParallel: Kind
MixedPrecision: Kind
ShardingStrategy: Kind
StateDictType: Kind
fully_shard: Refusal
OptimStateKeyType: Kind
CPUOffloadPolicy: Kind
FSDPModule: Kind
MixedPrecisionPolicy: Kind
OffloadPolicy: Kind
