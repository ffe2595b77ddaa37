"""Names of PyTorch's torch.distributed.fsdp.api, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.distributed.fsdp.fully_sharded_data_parallel import BackwardPrefetch as BackwardPrefetch
from facula.distributed.fsdp.fully_sharded_data_parallel import CPUOffload as CPUOffload
from facula.distributed.fsdp.fully_sharded_data_parallel import FullOptimStateDictConfig as FullOptimStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import FullStateDictConfig as FullStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import MixedPrecision as MixedPrecision
from facula.distributed.fsdp.fully_sharded_data_parallel import OptimStateDictConfig as OptimStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import ShardedStateDictConfig as ShardedStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import ShardingStrategy as ShardingStrategy
from facula.distributed.fsdp.fully_sharded_data_parallel import StateDictConfig as StateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import StateDictSettings as StateDictSettings
from facula.distributed.fsdp.fully_sharded_data_parallel import StateDictType as StateDictType
