"""Options of `FullyShardedDataParallel`, under PyTorch's names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from facula_tensor import dtype


class ShardingStrategy(Enum):
    """What is divided among processes."""

    FULL_SHARD = auto()
    SHARD_GRAD_OP = auto()
    NO_SHARD = auto()
    HYBRID_SHARD = auto()
    _HYBRID_SHARD_ZERO2 = auto()


class BackwardPrefetch(Enum):
    """When the next parameters are gathered in a backward pass: always before they are needed, in the background."""

    BACKWARD_PRE = auto()
    BACKWARD_POST = auto()


class StateDictType(Enum):
    """The tensors of a state dict: whole, or this process's part alone (not supported), or DTensors."""

    FULL_STATE_DICT = auto()
    LOCAL_STATE_DICT = auto()
    SHARDED_STATE_DICT = auto()


@dataclass(frozen=True)
class MixedPrecision:
    """The dtypes of a module's computation.

    Arguments:
        param_dtype: the dtype of gathered parameters and of the arguments of `forward`; None: their own.
        reduce_dtype: the dtype in which gradients are reduced; None: that of gathered parameters.
        buffer_dtype: the dtype of floating-point buffers; None: their own.
        keep_low_precision_grads: False: gradients have the dtype of the parameters.
        cast_forward_inputs: whether arguments of nested modules are cast to `param_dtype`.
        cast_root_forward_inputs: whether arguments of the outermost module are.
    """

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    buffer_dtype: dtype | None = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: tuple[type, ...] = ()


@dataclass
class CPUOffload:
    """Whether parameters are on the CPU, where they are anyway."""

    offload_params: bool = False


@dataclass
class StateDictConfig:
    """Options of state dicts. `offload_to_cpu` has no effect, as parameters are on the CPU."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Options of whole state dicts: with `rank0_only`, those of other processes are empty."""

    rank0_only: bool = False


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """Options of state dicts with DTensors."""

    _use_dtensor: bool = True


@dataclass
class OptimStateDictConfig:
    """Options of the state dicts of optimizers."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Options of whole state dicts of optimizers: with `rank0_only`, those of other processes are empty."""

    rank0_only: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """Options of state dicts of optimizers with DTensors."""

    _use_dtensor: bool = True


@dataclass
class StateDictSettings:
    """The type of state dicts, and its options."""

    state_dict_type: StateDictType
    state_dict_config: Any
    optim_state_dict_config: Any
