"""facula.distributed.fsdp: models whose parameters are divided among processes.

May import: siblings. Where next: `_fully_shard.py`; the mechanics are in facula_distributed/_sharding.
"""

from ..._lookup.names import publish
from . import fully_sharded_data_parallel, wrap
from ._fully_shard import FSDPModule, UnshardHandle, fully_shard, register_fsdp_forward_method
from ._policies import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy
from .fully_sharded_data_parallel import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    FullyShardedDataParallel,
    MixedPrecision,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictType,
)

publish(__name__)
