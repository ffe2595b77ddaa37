"""Models whose parameters lie in several processes: not there yet."""

from .._names import publish
from .._refusals import Refusals

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullStateDictConfig", "FullyShardedDataParallel", "MixedPrecision",
    "ShardingStrategy", "StateDictType", "fully_shard",
]  # fmt: skip

_missing = Refusals("distributed.fsdp", "there is one process so far; train the module itself")
BackwardPrefetch = _missing.kind("BackwardPrefetch")
CPUOffload = _missing.kind("CPUOffload")
FullStateDictConfig = _missing.kind("FullStateDictConfig")
FullyShardedDataParallel = _missing.kind("FullyShardedDataParallel")
MixedPrecision = _missing.kind("MixedPrecision")
ShardingStrategy = _missing.kind("ShardingStrategy")
StateDictType = _missing.kind("StateDictType")
fully_shard = _missing.function("fully_shard")

publish(__name__)
