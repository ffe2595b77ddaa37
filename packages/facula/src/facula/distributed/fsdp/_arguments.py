"""The arguments of `FullyShardedDataParallel`: the mesh, the modules to divide, and their initialization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_distributed.device_mesh import DeviceMesh, init_device_mesh
from facula_distributed.extend import copy_model, default_group, group_of
from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_nn import Module

from ._fully_shard import FSDPModule, fully_shard, has_forward
from ._options import BackwardPrefetch, CPUOffload, MixedPrecision, ShardingStrategy
from ._policies import MixedPrecisionPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from facula_tensor import Tensor

NAME = "FullyShardedDataParallel"


def _mesh_of(group: Any, strategy: ShardingStrategy, mesh: DeviceMesh | None) -> DeviceMesh:
    is_hybrid = strategy in (ShardingStrategy.HYBRID_SHARD, ShardingStrategy._HYBRID_SHARD_ZERO2)
    if isinstance(group, tuple):
        raise UnsupportedError(
            f"{NAME}: expected a device_mesh of two dimensions, as from init_device_mesh('cpu', (replicas, parts)); "
            "got a tuple of process groups"
        )
    if is_hybrid and (mesh is None or mesh.ndim != 2):
        raise InvalidValueError(
            f"{NAME}: expected a device_mesh of two dimensions with {strategy.name}, as from "
            f"init_device_mesh('cpu', (replicas, parts)); got {mesh!r}"
        )
    if mesh is None:
        found = default_group() if group is None else group_of(NAME, group)
        if found is None:
            raise InvalidValueError(f"{NAME}: expected a process_group that this process is a member of; got another")
        mesh = init_device_mesh("cpu", (found.size(),)) if group is None else DeviceMesh.from_group(found, "cpu")
    if strategy is ShardingStrategy.NO_SHARD:
        if mesh.ndim != 1:
            raise InvalidValueError(f"{NAME}: expected a mesh of one dimension with NO_SHARD; got {mesh!r}")
        ranks = mesh.mesh.tolist()
        return DeviceMesh("cpu", [[rank] for rank in ranks])
    return mesh


def divide_module(
    class_of: Callable[[type], type],
    module: Module,
    process_group: Any = None,
    sharding_strategy: ShardingStrategy | None = None,
    cpu_offload: CPUOffload | None = None,
    auto_wrap_policy: Any = None,
    backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE,
    mixed_precision: MixedPrecision | None = None,
    ignored_modules: Iterable[Module] | None = None,
    param_init_fn: Callable[[Module], None] | None = None,
    device_id: object = None,
    sync_module_states: bool = False,
    forward_prefetch: bool = False,
    limit_all_gathers: bool = True,
    use_orig_params: bool = False,
    ignored_states: Iterable[Any] | None = None,
    device_mesh: DeviceMesh | None = None,
) -> None:
    """Do the work of `FullyShardedDataParallel`, which describes the arguments.

    `class_of` returns its subclass for a class of modules.
    """
    strategy = ShardingStrategy.FULL_SHARD if sharding_strategy is None else sharding_strategy
    if not isinstance(strategy, ShardingStrategy):
        raise InvalidTypeError(
            f"{NAME}: expected sharding_strategy to be a ShardingStrategy; got {type(strategy).__name__}"
        )
    mesh = _mesh_of(process_group, strategy, device_mesh)
    ignored: dict[int, Tensor] = {}
    skipped: set[int] = set()
    for one in [*(ignored_modules or ()), *(ignored_states or ())]:
        if isinstance(one, Module):
            skipped |= {id(inner) for inner in one.modules()}
        for parameter in one.parameters() if isinstance(one, Module) else [one]:
            ignored[id(parameter)] = parameter
    _initialize(module, param_init_fn, ignored)
    if sync_module_states:
        group = mesh.get_group(0) if mesh.ndim == 1 else default_group()
        copy_model(group, [*(one for one in module.parameters() if id(one) not in ignored), *module.buffers()])
    precision = MixedPrecision() if mixed_precision is None else mixed_precision
    if precision.buffer_dtype is not None:
        for inner in module.modules():
            for name, buffer in inner._buffers.items():
                if buffer is not None and buffer.is_floating_point():
                    inner._buffers[name] = buffer.to(precision.buffer_dtype)
    keeps = strategy in (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2,
                         ShardingStrategy.NO_SHARD)  # fmt: skip

    def divide(one: Module, is_root: bool, **options: Any) -> None:
        if options:  # of a CustomPolicy
            options = {"sharding_strategy": strategy, "mixed_precision": mixed_precision, **options}
            divide_module(
                class_of, one, process_group, device_mesh=device_mesh, ignored_states=ignored.values(), **options
            )
            return
        casts = precision.cast_root_forward_inputs if is_root else precision.cast_forward_inputs
        policy = MixedPrecisionPolicy(precision.param_dtype, precision.reduce_dtype, None, casts)
        fully_shard(
            one, mesh=mesh, reshard_after_forward=False if keeps else None if is_root else True, mp_policy=policy,
            ignored_params=ignored.values(),
        )  # fmt: skip
        one.__class__ = class_of(type(one))

    if auto_wrap_policy is not None:
        _wrap_descendants(module, auto_wrap_policy, skipped, ignored, divide)
    divide(module, True)


def _initialize(module: Module, function: Callable[[Module], None] | None, ignored: Mapping[int, Tensor]) -> None:
    """Initialize modules with parameters on the meta device."""
    for one in module.modules():
        own = [parameter for parameter in one.parameters(recurse=False) if id(parameter) not in ignored]
        if not any(parameter.device.type == "meta" for parameter in own):
            continue
        if function is not None:
            function(one)
            continue
        one.to_empty(device="cpu", recurse=False)
        reset = getattr(one, "reset_parameters", None)
        if reset is None:
            raise InvalidValueError(
                f"{NAME}: expected param_init_fn, as {type(one).__name__} has parameters on the meta device and no "
                "reset_parameters()"
            )
        reset()


def _wrap_descendants(
    module: Module, policy: Any, skipped: set[int], ignored: Mapping[int, Tensor], divide: Callable[..., None]
) -> None:
    """Divide the descendants that a policy chooses, inner ones first."""
    seen: set[int] = set()

    def visit(one: Module, is_root: bool) -> int:
        """Return the number of elements that were divided."""
        if id(one) in seen or id(one) in skipped or isinstance(one, FSDPModule):
            return 0
        seen.add(id(one))
        total = sum(parameter.numel() for parameter in one.parameters() if id(parameter) not in ignored)
        divided = 0
        if policy(module=one, recurse=True, nonwrapped_numel=total):
            divided = sum([visit(child, False) for child in one.children()])
        if is_root or not has_forward(one) or total == divided:
            return divided
        chosen = policy(module=one, recurse=False, nonwrapped_numel=total - divided)
        if chosen:
            divide(one, False, **(chosen if isinstance(chosen, dict) else {}))
            return total
        return divided

    visit(module, True)
