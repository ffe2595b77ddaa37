"""`FullyShardedDataParallel`: PyTorch's older interface of `fully_shard`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ..._lookup.names import publish
from ..._lookup.siblings import needs
from ._fully_shard import states_of
from ._options import (
    BackwardPrefetch,
    CPUOffload,
    FullOptimStateDictConfig,
    FullStateDictConfig,
    MixedPrecision,
    OptimStateDictConfig,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictConfig,
    StateDictSettings,
    StateDictType,
)

with needs("facula.distributed.fsdp"):
    from facula_distributed.tensor import DTensor
    from facula_nn import Module
    from facula_nn.utils import clip_grad_norm_

    from ._arguments import divide_module
    from ._states import names_of, part_of, whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "BackwardPrefetch", "CPUOffload", "FullOptimStateDictConfig", "FullStateDictConfig", "FullyShardedDataParallel",
    "MixedPrecision", "OptimStateDictConfig", "ShardedOptimStateDictConfig", "ShardedStateDictConfig",
    "ShardingStrategy", "StateDictConfig", "StateDictSettings", "StateDictType",
]  # fmt: skip

NAME = "FullyShardedDataParallel"
_SETTINGS = "_fully_sharded_settings"


class _Itself:
    """`model.module`, which is the model, unless the model has a member of this name."""

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else instance


@boundary
class FullyShardedDataParallel(Module):
    """Divide the parameters of a module among processes, by `fully_shard`, and return the module.

    The module is changed in place: its class becomes a subclass of this one, and its parameters are DTensors that keep
    their names (`use_orig_params` is ignored). `state_dict()` contains whole tensors, unless `set_state_dict_type` says
    otherwise; all processes call it.

    Arguments:
        module: the module.
        process_group: the processes; all if None.
        sharding_strategy: FULL_SHARD (the default); SHARD_GRAD_OP, which keeps gathered parameters until the backward
            pass; NO_SHARD, in which each process has all; HYBRID_SHARD with a `device_mesh` of two dimensions.
        cpu_offload: no effect, as parameters are on the CPU.
        auto_wrap_policy: which descendants are divided by themselves: a policy of `distributed.fsdp.wrap`.
        backward_prefetch, forward_prefetch, limit_all_gathers, use_orig_params, device_id: ignored.
        mixed_precision: dtypes of the computation.
        ignored_modules: modules whose parameters are left as they are.
        param_init_fn: initializes a module with parameters on the meta device; None: `to_empty` and
            `reset_parameters`.
        sync_module_states: copy the parameters and buffers of the first process to all before.
        ignored_states: parameters, or modules, that are left as they are.
        device_mesh: the processes, instead of `process_group`.

    Raises:
        ValueError: there is no process group; arguments that do not fit together.
        NotImplementedError: a tuple of process groups.

    >>> import facula
    >>> from facula.distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> model = FullyShardedDataParallel(facula.nn.Linear(2, 1))
    >>> isinstance(model, FullyShardedDataParallel), model.state_dict()["weight"].shape
    (True, facula.Size([1, 2]))
    >>> destroy_process_group()
    """

    module: Any = _Itself()

    def __new__(cls, module: Any = None, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(module, Module):
            raise InvalidTypeError(f"{NAME}: expected module to be a Module; got {type(module).__name__}")
        divide_module(_class_of, module, *args, **kwargs)
        return module

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the module is initialized."""

    # ---------------------------------------------------------------------------------------------------- training
    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Add up each process's own gradients in a block, in whole parameters; the next pass after it reduces sums."""
        states = list(states_of(self))
        former = [state.unit.syncs for state in states]
        for state in states:
            state.unit.syncs = False
        try:
            yield
        finally:
            for state, syncs in zip(states, former, strict=True):
                state.unit.syncs = syncs

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Tensor:
        """Scale gradients so that the norm of all is at most `max_norm`; return the norm before.

        Arguments:
            max_norm: the norm.
            norm_type: its order.
        """
        found: Any = clip_grad_norm_(self.parameters(), max_norm, norm_type)
        return found.full_tensor() if isinstance(found, DTensor) else found  # type: ignore[no-any-return]

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list[Any]:
        """Return the divided modules among a module and its descendants; with `root_only`, the outermost ones."""
        found = [one for one in module.modules() if isinstance(one, FullyShardedDataParallel)]
        if root_only:
            inner = {id(child) for one in found for child in one.modules() if child is not one}
            found = [one for one in found if id(one) not in inner]
        return found

    @staticmethod
    @contextmanager
    def summon_full_params(
        module: Module,
        recurse: bool = True,
        writeback: bool = True,
        rank0_only: bool = False,
        offload_to_cpu: bool = False,
        with_grads: bool = False,
    ) -> Iterator[None]:
        """Gather parameters in a block; all processes call this.

        Arguments:
            module: the module.
            recurse: whether to gather those of nested units, too.
            writeback: keep changes of this process's parts.
            rank0_only, offload_to_cpu: ignored: all processes have the parameters, on the CPU.
            with_grads: False.
        """
        if with_grads:
            raise UnsupportedError("summon_full_params: expected with_grads=False; call full_tensor() of the gradients")
        states = list(states_of(module))[: None if recurse else 1]
        for state in states:
            if not hasattr(state.unit, "schedule"):
                state.connect(module)
            state.unit.gather()
            state.unit.show_wholes()
        try:
            yield
        finally:
            for state in states:
                if writeback:
                    state.unit.write_back()
                state.unit.free()

    # ------------------------------------------------------------------------------------------------------- states
    @staticmethod
    def set_state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> StateDictSettings:
        """Set the tensors of `state_dict()` and `optim_state_dict()`; return the former settings.

        Arguments:
            module: the module.
            state_dict_type: FULL_STATE_DICT or SHARDED_STATE_DICT.
            state_dict_config: options.
            optim_state_dict_config: options for optimizers.

        Raises:
            NotImplementedError: LOCAL_STATE_DICT.
        """
        if state_dict_type is StateDictType.LOCAL_STATE_DICT:
            raise UnsupportedError(
                "set_state_dict_type: expected FULL_STATE_DICT or SHARDED_STATE_DICT, as there are no flat parameters; "
                "got LOCAL_STATE_DICT"
            )
        former = FullyShardedDataParallel.get_state_dict_type(module)
        is_full = state_dict_type is StateDictType.FULL_STATE_DICT
        settings = StateDictSettings(
            state_dict_type,
            state_dict_config or (FullStateDictConfig() if is_full else ShardedStateDictConfig()),
            optim_state_dict_config or (FullOptimStateDictConfig() if is_full else ShardedOptimStateDictConfig()),
        )
        for one in FullyShardedDataParallel.fsdp_modules(module):
            setattr(one, _SETTINGS, settings)
        return former

    @staticmethod
    def get_state_dict_type(module: Module) -> StateDictSettings:
        """Return the settings of `set_state_dict_type`."""
        for one in FullyShardedDataParallel.fsdp_modules(module):
            found = vars(one).get(_SETTINGS)
            if found is not None:
                return found  # type: ignore[no-any-return]
        return StateDictSettings(StateDictType.FULL_STATE_DICT, FullStateDictConfig(), FullOptimStateDictConfig())

    @staticmethod
    @contextmanager
    def state_dict_type(
        module: Module,
        state_dict_type: StateDictType,
        state_dict_config: StateDictConfig | None = None,
        optim_state_dict_config: OptimStateDictConfig | None = None,
    ) -> Iterator[None]:
        """Set the tensors of state dicts in a block. Arguments: those of `set_state_dict_type`."""
        former = FullyShardedDataParallel.set_state_dict_type(
            module, state_dict_type, state_dict_config, optim_state_dict_config
        )
        try:
            yield
        finally:
            FullyShardedDataParallel.set_state_dict_type(
                module, former.state_dict_type, former.state_dict_config, former.optim_state_dict_config
            )

    @staticmethod
    def optim_state_dict(
        model: Module, optim: Any, optim_state_dict: dict[str, Any] | None = None, group: object = None
    ) -> dict[str, Any]:
        """Return the state of an optimizer, with names of parameters; whole tensors or DTensors, as `state_dict()`.

        Arguments:
            model: the module, whose parameters it optimizes.
            optim: the optimizer.
            optim_state_dict: its state; `optim.state_dict()` if None.
            group: ignored.
        """
        state = optim.state_dict() if optim_state_dict is None else optim_state_dict
        names = names_of(model, optim)
        settings = FullyShardedDataParallel.get_state_dict_type(model)
        found = {
            "state": {names[number]: one for number, one in state["state"].items()},
            "param_groups": [
                {**one, "params": [names[number] for number in one["params"]]} for one in state["param_groups"]
            ],
        }
        return whole(found, settings.state_dict_type, settings.optim_state_dict_config)  # type: ignore[no-any-return]

    @staticmethod
    def optim_state_dict_to_load(
        model: Module,
        optim: Any,
        optim_state_dict: Mapping[str, Any],
        is_named_optimizer: bool = False,
        load_directly: bool = False,
        group: object = None,
    ) -> dict[str, Any]:
        """Return a state of `optim_state_dict` in the form that `optim.load_state_dict` expects.

        Arguments:
            model: the module.
            optim: the optimizer.
            optim_state_dict: the state, with whole tensors or DTensors.
            is_named_optimizer: False.
            load_directly: also load it.
            group: ignored.
        """
        names = names_of(model, optim)
        numbers = {name: number for number, name in enumerate(names)}
        state = {numbers[name]: one for name, one in optim_state_dict["state"].items()}
        groups = [{**one, "params": [numbers[name] for name in one["params"]]} for one in
                  optim_state_dict["param_groups"]]  # fmt: skip
        found = {"state": state, "param_groups": groups}
        if load_directly:
            optim.load_state_dict(found)
        return found

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the state: whole tensors, or DTensors after `set_state_dict_type`; all processes call this."""
        settings = FullyShardedDataParallel.get_state_dict_type(self)
        return whole(super().state_dict(*args, **kwargs), settings.state_dict_type, settings.state_dict_config)

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Load a state of whole tensors, of which each process takes its parts, or of DTensors.

        Arguments:
            state_dict: the state.
            strict: whether names that are missing or unexpected are an error.
            assign: whether the tensors replace the parameters.
        """
        like: dict[str, Any] = dict(self.named_parameters(remove_duplicate=False))
        parts = {name: part_of(value, like.get(name)) for name, value in state_dict.items()}
        return super().load_state_dict(parts, strict, assign)


def _class_of(kind: type) -> type:
    """Return the subclass of FullyShardedDataParallel and a class of modules that `fully_shard` changed."""
    found = _classes.get(kind)
    if found is None:
        found = _classes[kind] = type(
            f"FSDP1{kind.__name__.removeprefix('FSDP')}", (FullyShardedDataParallel, kind),
            {"__module__": kind.__module__, "__new__": object.__new__},
        )  # fmt: skip
    return found


_classes: dict[type, type] = {}


publish(__name__)
