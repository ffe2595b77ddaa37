"""Calls of a module with other parameters and buffers, and stacking the tensors of several modules."""

from __future__ import annotations

from operator import setitem
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError, MissingKeyError, OperationError
from facula_errors.extend import boundary, exhaust, published
from facula_tensor import Tensor, stack
from facula_tensor.extend.recording import current_recorder

from .._modules.members import BUFFER, PARAMETER, members
from .._modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._types import Kwargs

__all__ = ["functional_call", "stack_module_state"]

__dir__ = published(__name__)

Slot = tuple["Module", str, Tensor]  # a module, the name of a tensor of this module, and the tensor


@boundary
def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Mapping[str, Tensor] | Sequence[Mapping[str, Tensor]],
    args: Any = None,
    kwargs: Kwargs | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call `module` with the given tensors, by dotted name, in place of its own; restore these when the call ends.

    `args` is a tuple of arguments, or a single argument. Names that share a tensor in the module share the given
    tensor, unless `tie_weights` is False. If forward replaces a buffer, the replacement is stored in the dict, not in
    the module. The module's tensors are used for names that are not given; with `strict`, missing and unknown names are
    a RuntimeError. ValueError for names given twice, TypeError if a value is not a tensor. During the call, other
    threads see the given tensors, too.

    Arguments:
        module: the module, which is restored after the call.
        parameter_and_buffer_dicts: tensors by dotted name, in one or several dicts.
        args: a tuple of positional arguments, or a single one.
        kwargs: keyword arguments.
        tie_weights: keep tied tensors of the module tied.
        strict: reject missing and unknown names.

    Returns:
        The result of the module.

    >>> from facula_nn import Linear
    >>> from facula_tensor import ones
    >>> functional_call(Linear(2, 1), {"weight": ones(1, 2), "bias": ones(1)}, ones(2))
    tensor([3.])
    """
    _check_modules("functional_call", [module])
    if kwargs is not None and not hasattr(kwargs, "keys"):
        raise InvalidTypeError(f"functional_call: expected kwargs to be a dict or None; got {type(kwargs).__name__}")
    given, home = _merged(parameter_and_buffer_dicts)
    slots: dict[str, Slot] = {}
    for prefix, child in module.named_modules(remove_duplicate=False):
        for name, tensor in (*members(child, PARAMETER), *members(child, BUFFER)):
            if tensor is not None:
                slots[f"{prefix}.{name}" if prefix else name] = child, name, tensor
    if strict:
        missing = [name for name in slots if name not in given]
        unexpected = [name for name in given if name not in slots]
        if missing or unexpected:
            raise OperationError(
                f"functional_call: the names do not fit {type(module).__name__}; missing: {missing}; "
                f"unexpected: {unexpected}; strict=False leaves both alone"
            )
    placed = _tied(slots, given) if tie_weights else {name: tensor for name, tensor in given.items() if name in slots}
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    recorder = current_recorder()
    if recorder is not None:
        recorder.entered(module)  # before the given tensors are set
    holders = [slots[name][0].__dict__ for name in placed]
    names = [slots[name][1] for name in placed]
    back = map(setitem, holders, names, [slots[name][2] for name in placed])
    try:
        for holder, own, tensor in zip(holders, names, placed.values(), strict=True):
            holder[own] = tensor
        result = module(*arguments, **(kwargs or {}))
        for name, holder, own in zip(placed, holders, names, strict=True):
            now = holder.get(own)
            if now is not placed[name] and name in given and home is not None:
                home[name] = now
        return result
    finally:
        exhaust(back)  # one C call, which KeyboardInterrupt cannot interrupt
        if recorder is not None:
            recorder.left()


@boundary
def stack_module_state(models: Sequence[Module]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Stack the parameters and the buffers of modules of one class, by name, along a new first dimension.

    The parameters are new leaves that require gradients if the modules' parameters do: an ensemble is `vmap` of
    `functional_call` over them. RuntimeError for modules of different classes, modes or parameters.

    Arguments:
        models: a list or a ModuleList of at least one module.

    >>> from facula_nn import Linear
    >>> parameters, buffers = stack_module_state([Linear(2, 1), Linear(2, 1)])
    >>> {name: tuple(parameter.shape) for name, parameter in parameters.items()}, buffers
    ({'weight': (2, 1, 2), 'bias': (2, 1)}, {})
    """
    if not hasattr(models, "__iter__"):
        raise InvalidTypeError(f"stack_module_state: expected a list of modules; got {type(models).__name__}")
    models = list(models)
    _check_modules("stack_module_state", models)
    if not models:
        raise OperationError("stack_module_state: expected at least one module; got none")
    first = models[0]
    for model in models[1:]:
        if type(model) is not type(first) or model.training is not first.training:
            raise OperationError(
                "stack_module_state: expected modules of one class, all in training mode or none; got "
                f"{type(first).__name__} and {type(model).__name__}, training={first.training} and {model.training}"
            )
    return (
        _stacked([dict(model.named_parameters()) for model in models], leaves=True),
        _stacked([dict(model.named_buffers()) for model in models], leaves=False),
    )


def _check_modules(operation: str, modules: Sequence[object]) -> None:
    """Raise TypeError if an object is not a module."""
    for place, module in enumerate(modules):
        if not isinstance(module, Module):
            which = f" for number {place}" if len(modules) > 1 else ""
            raise InvalidTypeError(f"{operation}: expected a Module{which}; got {type(module).__name__} {module!r:.60}")


def _stacked(states: list[dict[str, Tensor]], *, leaves: bool) -> dict[str, Tensor]:
    """Stack tensors of the same name; the results are new leaves that require a gradient if all of them do."""
    found = {}
    for name in states[0]:
        if any([name not in state or state[name].shape != states[0][name].shape for state in states]):
            raise OperationError(f"stack_module_state: expected {name!r} in all modules, with the same shape")
        ones = [state[name] for state in states]
        wants = {tensor.requires_grad for tensor in ones}
        if len(wants) > 1:
            raise OperationError(f"stack_module_state: expected all of {name!r} to require a gradient, or none")
        stacked = stack([tensor.detach() for tensor in ones]) if leaves else stack(ones)
        found[name] = stacked.requires_grad_() if leaves and wants.pop() else stacked
    return found


def _merged(given: Any) -> tuple[dict[str, Tensor], Any]:
    """Merge the given dicts by name; also return the original dict if there is only one."""
    if not hasattr(given, "items") and not isinstance(given, (list, tuple)):
        raise ArgumentError(
            f"functional_call: expected a dict from names to tensors, or several in a list; got {type(given).__name__} "
            f"{given!r:.60}"
        )
    dicts = [given] if hasattr(given, "items") else list(given)
    found: dict[str, Tensor] = {}
    for entries in dicts:
        if not hasattr(entries, "items"):
            raise InvalidTypeError(
                f"functional_call: expected dicts from names to tensors; got {type(entries).__name__} {entries!r:.60}"
            )
        for name, tensor in entries.items():
            if not isinstance(tensor, Tensor):
                raise InvalidTypeError(
                    f"functional_call: expected {name!r} to be a Tensor; got {type(tensor).__name__}"
                )
            if not name:
                raise MissingKeyError("functional_call: expected names that are not empty; got ''")
            if name in found:
                raise InvalidValueError(f"functional_call: expected each name once; got {name!r} in several dicts")
            found[name] = tensor
    return found, given if hasattr(given, "__setitem__") and hasattr(given, "items") else None


def _tied(slots: dict[str, Slot], given: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the given tensors under all names tied in the module. ValueError if tied names get different tensors."""
    shared: dict[int, list[str]] = {}
    for name, (_, _, tensor) in slots.items():
        shared.setdefault(id(tensor), []).append(name)
    placed: dict[str, Tensor] = {}
    for names in shared.values():
        found = [name for name in names if name in given]
        if len({id(given[name]) for name in found}) > 1:
            raise InvalidValueError(
                f"functional_call: expected one tensor for {found}, which are tied; got several; pass one of them, or "
                "tie_weights=False"
            )
        placed.update({name: given[found[0]] for name in names if found})
    return placed
