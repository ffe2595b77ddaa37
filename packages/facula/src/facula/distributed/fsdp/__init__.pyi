"""Names of PyTorch's torch.distributed.fsdp, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import api as api
from . import fully_sharded_data_parallel as fully_sharded_data_parallel
from . import sharded_grad_scaler as sharded_grad_scaler
from . import wrap as wrap
from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal
from facula.distributed.fsdp._fully_shard import FSDPModule as FSDPModule
from facula.distributed.fsdp._fully_shard import UnshardHandle as UnshardHandle
from facula.distributed.fsdp._fully_shard import fully_shard as fully_shard
from facula.distributed.fsdp._fully_shard import register_fsdp_forward_method as register_fsdp_forward_method
from facula.distributed.fsdp._policies import CPUOffloadPolicy as CPUOffloadPolicy
from facula.distributed.fsdp._policies import MixedPrecisionPolicy as MixedPrecisionPolicy
from facula.distributed.fsdp._policies import OffloadPolicy as OffloadPolicy
from facula.distributed.fsdp.fully_sharded_data_parallel import BackwardPrefetch as BackwardPrefetch
from facula.distributed.fsdp.fully_sharded_data_parallel import CPUOffload as CPUOffload
from facula.distributed.fsdp.fully_sharded_data_parallel import FullOptimStateDictConfig as FullOptimStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import FullStateDictConfig as FullStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel as FullyShardedDataParallel
from facula.distributed.fsdp.fully_sharded_data_parallel import MixedPrecision as MixedPrecision
from facula.distributed.fsdp.fully_sharded_data_parallel import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import ShardedStateDictConfig as ShardedStateDictConfig
from facula.distributed.fsdp.fully_sharded_data_parallel import ShardingStrategy as ShardingStrategy
from facula.distributed.fsdp.fully_sharded_data_parallel import StateDictType as StateDictType

OptimStateKeyType: _Kind
