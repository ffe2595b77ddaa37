"""Models whose parameters lie in several processes: not there yet."""

from .._names import publish
from .._refusals import Kind, Refusal, Refusals

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullStateDictConfig", "FullyShardedDataParallel", "MixedPrecision",
    "ShardingStrategy", "StateDictType", "fully_shard",
]  # fmt: skip

_missing = Refusals("distributed.fsdp", "there is one process so far; train the module itself")
BackwardPrefetch: Kind = _missing.kind("BackwardPrefetch")
CPUOffload: Kind = _missing.kind("CPUOffload")
FullStateDictConfig: Kind = _missing.kind("FullStateDictConfig")
FullyShardedDataParallel: Kind = _missing.kind("FullyShardedDataParallel")
MixedPrecision: Kind = _missing.kind("MixedPrecision")
ShardingStrategy: Kind = _missing.kind("ShardingStrategy")
StateDictType: Kind = _missing.kind("StateDictType")
fully_shard: Refusal = _missing.function("fully_shard")

publish(__name__)
