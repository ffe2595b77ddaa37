"""States of models and optimizers by the names of parameters, for checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary
from facula_tensor import Tensor, empty
from facula_tensor.extend.parts import like_whole

from .._collectives.exchanges import broadcast
from .._collectives.objects import broadcast_object_list
from .._dtensor.dtensor import DTensor
from .._groups.groups import is_initialized
from .._groups.queries import get_rank, get_world_size
from ._saving import state_of

__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
    "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip


@dataclass
class StateDictOptions:
    """Options of the functions of this module.

    Arguments:
        full_state_dict: return whole tensors instead of DTensors; load whole tensors.
        cpu_offload: with `full_state_dict`, return the state on rank 0 and an empty dict on the others.
        keep_submodule_prefixes: ignored.
        ignore_frozen_params: leave out parameters that require no gradients.
        strict: whether `set_model_state_dict` raises if names are missing or unexpected.
        broadcast_from_rank0: load the state of rank 0, whole tensors, on all ranks; needs `full_state_dict`.
        flatten_optimizer_state_dict: False; True is refused.
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False


def _checked(operation: str, options: StateDictOptions | None) -> StateDictOptions:
    found = StateDictOptions() if options is None else options
    if not isinstance(found, StateDictOptions):
        raise InvalidTypeError(f"{operation}: expected options to be StateDictOptions; got {type(found).__name__}")
    if found.flatten_optimizer_state_dict:
        raise UnsupportedError(
            f"{operation}: expected flatten_optimizer_state_dict=False, as it is not supported; leave it out"
        )
    if found.broadcast_from_rank0 and not found.full_state_dict:
        raise InvalidValueError(
            f"{operation}: expected full_state_dict=True with broadcast_from_rank0=True; got False; set both"
        )
    return found


def _returned(state: Any, options: StateDictOptions) -> Any:
    """Return a state with whole tensors if the options say so; all ranks call this."""
    if not options.full_state_dict:
        return state
    whole = _mapped(state, lambda value: value.full_tensor() if isinstance(value, DTensor) else value)
    return whole if not options.cpu_offload or not is_initialized() or get_rank() == 0 else {}


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value with the tensors in its dicts and lists changed."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(one, change) for key, one in value.items()}
    return [_mapped(one, change) for one in value] if isinstance(value, list) else value


class _Sent(NamedTuple):
    """A tensor that rank 0 sends after the state."""

    shape: tuple[int, ...]
    dtype: Any


def _given(state: Any, options: StateDictOptions) -> Any:
    """Return the state to load: the own one, or that of rank 0."""
    if not options.broadcast_from_rank0 or not is_initialized() or get_world_size() == 1:
        return state
    tensors: list[Tensor] = []

    def keep(tensor: Tensor) -> _Sent:
        tensors.append(tensor.detach())
        return _Sent(tuple(tensor.shape), tensor.dtype)

    sent = [_mapped(dict(state), keep) if get_rank() == 0 else None]
    broadcast_object_list(sent, 0)

    def receive(value: Any) -> Any:
        if isinstance(value, _Sent):
            tensor = tensors.pop(0).clone() if get_rank() == 0 else empty(value.shape, dtype=value.dtype)
            broadcast(tensor, 0)
            return tensor
        if isinstance(value, dict):
            return {key: receive(one) for key, one in value.items()}
        return [receive(one) for one in value] if isinstance(value, list) else value

    return receive(sent[0])


def _bare(model: Any) -> Any:
    """Return the model in wrappers."""
    while any(one.__name__ == "DistributedDataParallel" for one in type(model).__mro__):
        model = model.module
    return model


@boundary
def get_model_state_dict(model: Any, *, submodules: None = None, options: StateDictOptions | None = None) -> Any:
    """Return the state of a model, by names without the prefix of a wrapper such as DistributedDataParallel.

    Arguments:
        model: a module.
        submodules: None.
        options: `StateDictOptions`.
    """
    found = _checked("get_model_state_dict", options)
    if submodules is not None:
        raise UnsupportedError("get_model_state_dict: expected submodules=None; call it for each of them")
    bare = _bare(model)
    state = bare.state_dict()
    if found.ignore_frozen_params:
        for name, parameter in bare.named_parameters():
            if not parameter.requires_grad:
                state.pop(name, None)
    return _returned(state, found)


@boundary
def set_model_state_dict(
    model: Any, model_state_dict: Mapping[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Load a state of `get_model_state_dict`; return the missing and the unexpected names.

    Arguments:
        model: a module.
        model_state_dict: its state; whole tensors are distributed as the parameters are.
        options: `StateDictOptions`; `strict` is that of the module's `load_state_dict`.
    """
    found = _checked("set_model_state_dict", options)
    bare = _bare(model)
    state, own = dict(_given(model_state_dict, found)), bare.state_dict()
    for name, value in state.items():
        if isinstance(own.get(name), DTensor) and isinstance(value, Tensor):
            if value.shape == own[name].shape:
                state[name] = like_whole(own[name], value)
        elif isinstance(value, DTensor):
            state[name] = value.full_tensor()
    return bare.load_state_dict(state, strict=found.strict)


def _each(optimizers: Any) -> list[Any]:
    return list(optimizers) if isinstance(optimizers, Iterable) else [optimizers]


def _names(operation: str, model: Any, optimizer: Any) -> list[str]:
    """Return the names of an optimizer's parameters, in the order of its state."""
    known = {id(parameter): name for name, parameter in _bare(model).named_parameters()}
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    unknown = sum(id(parameter) not in known for parameter in parameters)
    if unknown:
        raise InvalidValueError(
            f"{operation}: expected an optimizer of the model's parameters; got {unknown} others; pass its own model"
        )
    return [known[id(parameter)] for parameter in parameters]


@boundary
def get_optimizer_state_dict(
    model: Any, optimizers: Any, *, submodules: None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """Return the state of optimizers, in which parameters have their names instead of numbers.

    That of a `ZeroRedundancyOptimizer` has this process's rows of tensors; all processes call this.

    Arguments:
        model: the module whose parameters they optimize.
        optimizers: an optimizer, or several, which have different parameters.
        submodules: None.
        options: `StateDictOptions`.

    Raises:
        ValueError: an optimizer has parameters that the model has not.
    """
    operation = "get_optimizer_state_dict"
    found = _checked(operation, options)
    if submodules is not None:
        raise UnsupportedError(f"{operation}: expected submodules=None; call it for each of them")
    states: dict[str, Any] = {}
    groups: list[dict[str, Any]] = []
    for optimizer in _each(optimizers):
        names = _names(operation, model, optimizer)
        own = state_of(optimizer)
        states |= {names[number]: state for number, state in own["state"].items()}
        groups += [{**group, "params": [names[number] for number in group["params"]]} for group in own["param_groups"]]
    state: dict[str, Any] = _returned({"state": states, "param_groups": groups}, found)
    return state


@boundary
def set_optimizer_state_dict(
    model: Any, optimizers: Any, optim_state_dict: Mapping[str, Any], *, options: StateDictOptions | None = None
) -> None:
    """Load a state of `get_optimizer_state_dict`. Parameters may have another order, but the same groups.

    Arguments:
        model: the module whose parameters they optimize.
        optimizers: an optimizer, or several.
        optim_state_dict: their state.
        options: `StateDictOptions`.

    Raises:
        ValueError: the state lacks a group of an optimizer's parameters.
    """
    operation = "set_optimizer_state_dict"
    optim_state_dict = _given(optim_state_dict, _checked(operation, options))
    states: list[tuple[Any, dict[str, Any]]] = []
    for optimizer in _each(optimizers):
        names = _names(operation, model, optimizer)
        numbers = {name: number for number, name in enumerate(names)}
        groups, begin = [], 0
        for group in optimizer.param_groups:
            end = begin + len(group["params"])
            own = set(names[begin:end])
            saved = next((one for one in optim_state_dict["param_groups"] if set(one["params"]) == own), None)
            if saved is None:
                shown = ", ".join(names[begin:end][:3])
                raise InvalidValueError(
                    f"{operation}: expected the state of the parameter group with {shown}; there is none; make the "
                    "optimizer with the same parameters and groups"
                )
            groups.append({**saved, "params": list(range(begin, end))})
            begin = end
        state = {numbers[name]: one for name, one in optim_state_dict["state"].items() if name in numbers}
        states.append((optimizer, {"state": state, "param_groups": groups}))
    for optimizer, state_dict in states:
        optimizer.load_state_dict(state_dict)


@boundary
def get_state_dict(
    model: Any, optimizers: Any, *, submodules: None = None, options: StateDictOptions | None = None
) -> tuple[Any, dict[str, Any]]:
    """Return the states of a model and of its optimizers. Arguments: those of `get_optimizer_state_dict`."""
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options),
    )


@boundary
def set_state_dict(
    model: Any,
    optimizers: Any,
    *,
    model_state_dict: Mapping[str, Any],
    optim_state_dict: Mapping[str, Any],
    options: StateDictOptions | None = None,
) -> Any:
    """Load the states of a model and of its optimizers; return the missing and the unexpected names of the model.

    Arguments:
        model: the model.
        optimizers: an optimizer, or several.
        model_state_dict: the model's state, as from `get_state_dict`.
        optim_state_dict: that of the optimizers.
        options: how names and states are treated; None for the defaults.
    """
    missing = set_model_state_dict(model, model_state_dict, options=options)
    if optim_state_dict or (options is not None and options.broadcast_from_rank0):
        set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return missing
