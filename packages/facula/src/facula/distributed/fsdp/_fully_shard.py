"""`fully_shard`: each process has a part of the parameters; a module gathers them while it computes."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakValueDictionary

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor

from ..._lookup.siblings import needs
from ...utils._pytree import tree_leaves, tree_map
from ._policies import MixedPrecisionPolicy, OffloadPolicy

with needs("facula.distributed.fsdp"):
    from facula_distributed.device_mesh import DeviceMesh, init_device_mesh
    from facula_distributed.extend import Schedule, ShardedParameter, Unit, default_group
    from facula_distributed.tensor import DTensor, Replicate, Shard
    from facula_nn import Module, ModuleDict, ModuleList
    from facula_nn.extend import is_lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    M = TypeVar("M", bound=Module)

NAME = "fully_shard"
_PRECISION, _OFFLOAD = MixedPrecisionPolicy(), OffloadPolicy()
_STATE = "_fully_shard_state"
_taken: WeakValueDictionary[int, Tensor] = WeakValueDictionary()  # parameters that were divided, as they were before
_classes: dict[type, type] = {}


class State:
    """What `fully_shard` adds to modules.

    Arguments:
        unit: the parameters.
        modules: the modules that gather them together, in the order of their calls.
        policy: the dtypes.
    """

    def __init__(self, unit: Unit, modules: Sequence[Module], policy: MixedPrecisionPolicy) -> None:
        self.unit, self.modules, self.policy = unit, list(modules), policy

    def before(self, module: Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """Gather the parameters before `forward`, and cast its arguments."""
        if not hasattr(self.unit, "schedule"):
            self.connect(module)
        policy = self.policy
        if policy.cast_forward_inputs and policy.param_dtype is not None:
            args, kwargs = _cast((args, kwargs), policy.param_dtype)
        self.unit.before_forward(_tensors((args, kwargs)), module is self.modules[0])
        return args, kwargs

    def after(self, module: Module, args: Any, output: Any) -> Any:
        """Free the parameters after `forward`, and cast its results."""
        if self.policy.output_dtype is not None:
            output = _cast(output, self.policy.output_dtype)
        self.unit.after_forward(_tensors(output), module is self.modules[-1])
        return output

    def connect(self, module: Module) -> None:
        """Make the units below a module, which the program calls, work together."""
        Schedule(list(dict.fromkeys(state.unit for state in states_of(module))))


def _tensors(values: object) -> list[Tensor]:
    return [one for one in tree_leaves(values) if isinstance(one, Tensor)]


def _cast(values: Any, dtype: Any) -> Any:
    return tree_map(lambda one: one.to(dtype) if isinstance(one, Tensor) and one.is_floating_point() else one, values)


def states_of(module: Module) -> Iterator[State]:
    """Yield the states of a module and its descendants, outer ones first."""
    for one in module.modules():
        state = vars(one).get(_STATE)
        if state is not None:
            yield state


def _own_modules(module: Module, prefix: str = "") -> Iterator[tuple[str, Module]]:
    """Yield a module and its descendants, except those that were divided before."""
    yield prefix, module
    for name, child in module.named_children():
        if _STATE not in vars(child):
            yield from _own_modules(child, f"{prefix}{name}.")


@boundary
class FSDPModule:
    """A base class of the modules that `fully_shard` changed."""

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise OperationError(
            f"{NAME}: expected a module before {NAME}, to copy or pickle; got one after it; copy it before, or use its "
            "state_dict()"
        )

    @property
    def _sharded(self) -> State:
        return vars(self)[_STATE]  # type: ignore[no-any-return]

    def _states(self, recurse: bool) -> list[State]:
        return list(states_of(self)) if recurse else [self._sharded]  # type: ignore[arg-type]

    def _set(self, name: str, value: object, recurse: bool) -> None:
        for state in self._states(recurse):
            setattr(state.unit, name, value)

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the parameters of this module, without those of nested units; all processes must call this.

        Arguments:
            async_op: gather in the background, and return a handle whose `wait()` makes the parameters available.
        """
        state = self._sharded
        if not hasattr(state.unit, "schedule"):
            state.connect(self)  # type: ignore[arg-type]
        handle = UnshardHandle(state.unit)
        if async_op:
            state.unit.begin_gathering()
            return handle
        handle.wait()
        return None

    def reshard(self) -> None:
        """Free the gathered parameters of this module, without those of nested units."""
        self._sharded.unit.free()

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Set whether backward passes reduce gradients; otherwise each process adds up its own, of whole parameters."""
        self._set("syncs", requires_gradient_sync, recurse)

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Set whether backward passes also reduce gradients over replicas, on a mesh of two dimensions."""
        self._set("reduces_replicas", requires_all_reduce, recurse)

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Accepted: each backward pass completes its reductions."""

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Set whether parameters are freed after `forward`, and gathered again for the backward pass."""
        self._set("frees_after_forward", bool(reshard_after_forward), recurse)

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Set whether parameters are freed after the backward pass."""
        self._set("frees_after_backward", reshard_after_backward, recurse)

    def set_modules_to_forward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Gather these modules in the background while `forward` of this one runs, instead of the next one."""
        self._sharded.unit.next_in_forward = [one._sharded.unit for one in modules]

    def set_modules_to_backward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Gather these modules in the background while the backward pass of this one runs, instead of the next one."""
        self._sharded.unit.next_in_backward = [one._sharded.unit for one in modules]

    def set_gradient_divide_factor(self, factor: float) -> None:
        """Divide the sums of gradients by a number, instead of the number of processes."""
        self._sharded.unit.divisor = float(factor)

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Set whether the backward pass needs the parameters, which those of an embedding does not."""
        self._sharded.unit.gathers_in_backward = unshard_in_backward

    def set_force_sum_reduction_for_comms(self, enable: bool) -> None:
        """Accepted: sums are divided once in either case."""

    def set_post_optim_event(self, event: object) -> None:
        """Accepted: the CPU has no events."""


class UnshardHandle:
    """Parameters that are being gathered.

    Arguments:
        unit: the parameters.
    """

    def __init__(self, unit: Unit) -> None:
        self._unit = unit

    def wait(self) -> None:
        """Wait until the module has the whole parameters."""
        self._unit.gather()
        self._unit.show_wholes()


def _wrap_with(mesh: DeviceMesh) -> Callable[[Tensor, Tensor, int], Tensor]:
    """Return the function that makes the program's parameter of this process's elements."""

    def wrap(local: Tensor, original: Tensor, dim: int) -> Tensor:
        placements = [Shard(dim)] if mesh.ndim == 1 else [Replicate(), Shard(dim)]
        shape = original.shape
        stride = original.contiguous().stride() if original.device.type != "meta" else original.stride()
        whole = DTensor.from_local(local, mesh, placements, run_check=False, shape=shape, stride=stride)
        return Parameter(whole, requires_grad=original.requires_grad)

    return wrap


def _checked_mesh(mesh: object) -> DeviceMesh:
    if mesh is None:
        return init_device_mesh("cpu", (default_group().size(),))
    if not isinstance(mesh, DeviceMesh):
        raise InvalidTypeError(
            f"{NAME}: expected mesh to be a DeviceMesh; got {type(mesh).__name__}; call init_device_mesh"
        )
    if mesh.ndim not in (1, 2):
        raise InvalidValueError(
            f"{NAME}: expected a mesh of 1 dimension, or of 2 (replicas, parts); got {mesh.ndim} dimensions"
        )
    return mesh


def has_forward(module: Module) -> bool:
    """Return whether programs call a module, which is no container."""
    return type(module).forward is not Module.forward and not isinstance(module, (ModuleDict, ModuleList))


def _checked_modules(module: object) -> list[Module]:
    modules: list[Any] = list(module) if isinstance(module, (list, tuple)) else [module]
    if not modules:
        raise ArgumentError(f"{NAME}: expected at least one module; got none")
    for one in modules:
        if not isinstance(one, Module):
            raise InvalidTypeError(f"{NAME}: expected module to be a Module; got {type(one).__name__}")
        if not has_forward(one):
            raise ArgumentError(
                f"{NAME}: expected modules with a forward; got a {type(one).__name__}; pass the modules in it, one "
                "after the other"
            )
        if _STATE in vars(one):
            raise OperationError(f"{NAME}: expected a module that was not divided before; got {type(one).__name__}")
    return modules


def _collect(
    modules: Sequence[Module], ignored: Iterable[Tensor]
) -> list[tuple[str, Tensor, list[tuple[dict[str, Any], str]]]]:
    """Return the parameters to divide, with their names and places."""
    skipped = {id(one) for one in ignored}
    found: dict[int, tuple[str, Tensor, list[tuple[dict[str, Any], str]]]] = {}
    for module in modules:
        for prefix, one in _own_modules(module):
            for name, parameter in one._parameters.items():
                if parameter is None or id(parameter) in skipped:
                    continue
                whole = f"{prefix}{name}"
                if _taken.get(id(parameter)) is parameter:
                    raise OperationError(
                        f"{NAME}: expected parameters of one unit; {whole} also belongs to a module that was divided "
                        f"before; pass both modules in one call, {NAME}([first, second])"
                    )
                if isinstance(parameter, DTensor):
                    raise UnsupportedError(
                        f"{NAME}: expected parameters that are not distributed; {whole} is a DTensor; tensor parallel "
                        f"modules are not supported yet"
                    )
                if is_lazy(parameter):
                    raise OperationError(f"{NAME}: expected parameters with a shape; call the module once before")
                entry = found.setdefault(id(parameter), (whole, parameter, []))
                entry[2].append((vars(one), name))
    return list(found.values())


def _dimension(function: Callable[[Any], Any] | None, name: str, parameter: Tensor) -> int:
    """Return the dimension along which a parameter is divided."""
    if not parameter.ndim:
        raise InvalidValueError(
            f"{NAME}: expected parameters of at least 1 dimension; {name} is a scalar; make it a vector of length 1, "
            "or pass it in ignored_params"
        )
    placement = None if function is None else function(parameter)
    if placement is None:
        return 0
    if not isinstance(placement, Shard) or not -parameter.ndim <= placement.dim < parameter.ndim:
        raise InvalidValueError(
            f"{NAME}: expected shard_placement_fn to return None or Shard(dim) for {name}, of shape "
            f"{tuple(parameter.shape)}; got {placement!r}"
        )
    return placement.dim % parameter.ndim


@boundary
def fully_shard(
    module: M,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Callable[[Any], Any] | None = None,
    mp_policy: MixedPrecisionPolicy = _PRECISION,
    offload_policy: OffloadPolicy = _OFFLOAD,
    ignored_params: Iterable[Tensor] | None = None,
) -> M:
    """Divide the parameters of a module among processes, and return the module, which is changed in place.

    Call it for each block of a model, then for the model, and create the optimizer afterwards. Parameters are then
    DTensors with a part on each process, and so are gradients and the optimizer's state. A unit, which is the
    parameters of one call, is gathered before `forward` and before the backward pass of its module, and freed after
    it; the next one is gathered in the background. Gradients are averaged in rank order, divided once, while the
    backward pass runs: N processes compute the same bits as with DistributedDataParallel. The parameters must be equal
    in all processes before.

    Arguments:
        module: the module, or a list of modules that are called in this order. Its class becomes a subclass of
            `FSDPModule`.
        mesh: the processes; all if None. With two dimensions, parameters are replicated along the first one and
            divided along the second one.
        reshard_after_forward: whether to free parameters after `forward`. None: except those of the outermost module.
        shard_placement_fn: returns `Shard(dim)` for a parameter that is divided along `dim` instead of 0.
        mp_policy: dtypes of the computation.
        offload_policy: no effect, as parameters are on the CPU.
        ignored_params: parameters that are left as they are.

    Raises:
        ValueError: there is no process group; a module without `forward`, such as a ModuleList.
        RuntimeError: a module that was divided before, or whose parameters belong to another unit.
        NotImplementedError: a number of processes as `reshard_after_forward`, or parameters that are DTensors.

    >>> import facula
    >>> from facula.distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> model = fully_shard(facula.nn.Linear(2, 1))
    >>> isinstance(model, FSDPModule), model.weight.placements, model(facula.ones(4, 2)).shape
    (True, (Shard(dim=0),), facula.Size([4, 1]))
    >>> destroy_process_group()
    """
    modules = _checked_modules(module)
    found = _checked_mesh(mesh)
    if reshard_after_forward is not None and not isinstance(reshard_after_forward, bool):
        raise UnsupportedError(
            f"{NAME}: expected reshard_after_forward to be True, False or None; got {reshard_after_forward!r}; "
            "parts of a smaller number of processes are not supported"
        )
    if not isinstance(offload_policy, (OffloadPolicy, type(None))):
        raise InvalidTypeError(
            f"{NAME}: expected offload_policy to be an OffloadPolicy; got {type(offload_policy).__name__}"
        )
    collected = _collect(modules, ignored_params or ())
    dims = [_dimension(shard_placement_fn, name, parameter) for name, parameter, _ in collected]
    group, parameters = found.get_group(found.ndim - 1), []
    for dim, (name, parameter, places) in zip(dims, collected, strict=True):
        parameters.append(ShardedParameter(name, parameter, places, dim, group.rank(), group.size()))
        _taken[id(parameter)] = parameter
    unit = Unit(
        group, found.get_group(0) if found.ndim == 2 else None, parameters, [one for _, one, _ in collected],
        mp_policy.param_dtype, mp_policy.reduce_dtype, _wrap_with(found),
    )  # fmt: skip
    unit.frees_after_forward = reshard_after_forward
    state = State(unit, modules, mp_policy)
    for one in modules:
        setattr(one, _STATE, state)
        one.register_forward_pre_hook(state.before, prepend=True, with_kwargs=True)
        one.register_forward_hook(state.after, always_call=True)
        one.__class__ = _class_of(type(one))
    return module


def _class_of(kind: type) -> type:
    """Return the subclass of FSDPModule and a class of modules."""
    if kind not in _classes:
        _classes[kind] = type(f"FSDP{kind.__name__}", (FSDPModule, kind), {"__module__": kind.__module__})
    return _classes[kind]


@boundary
def register_fsdp_forward_method(module: Module, method_name: str) -> None:
    """Gather parameters also for calls of another method than `forward`.

    Arguments:
        module: the module. If `fully_shard` did not change it, nothing is done.
        method_name: the method's name.

    Raises:
        AttributeError: there is no such method.
    """
    if not isinstance(module, FSDPModule):
        return
    method, state = getattr(module, method_name), module._sharded

    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = state.before(module, args, kwargs)
        return state.after(module, args, method(*args, **kwargs))

    setattr(module, method_name, call)
