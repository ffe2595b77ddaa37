"""Loading of state dicts: conversion to groups and state, validated completely before an optimizer changes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from facula_errors import InvalidValueError
from facula_errors.extend import kind_of
from facula_tensor import Tensor
from facula_tensor.extend.arguments import relabel

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._types import Group, StateDict


def loaded_groups(name: str, groups: list[Group], state_dict: StateDict) -> tuple[list[Group], dict[int, Tensor]]:
    """Return the groups with their saved options, and the parameter for each saved index.

    Arguments:
        name: the operation's name, with which errors begin.
        groups: the optimizer's present groups.
        state_dict: the saved state dict.

    Raises:
        ValueError: not a state dict, or groups of different lengths.
    """
    if not isinstance(state_dict, dict) or not {"state", "param_groups"} <= set(state_dict):
        raise InvalidValueError(
            f"{name}: expected a dict with 'state' and 'param_groups'; pass one that state_dict() returned"
        )
    saved_groups = state_dict["param_groups"]
    if len(saved_groups) != len(groups):
        raise InvalidValueError(
            f"{name}: the saved state has {len(saved_groups)} parameter groups, this optimizer {len(groups)}; "
            "create it with the groups that were saved"
        )
    matched: dict[int, Tensor] = {}
    loaded = []
    for number, (group, saved) in enumerate(zip(groups, saved_groups, strict=True)):
        if len(saved["params"]) != len(group["params"]):
            raise InvalidValueError(
                f"{name}: group {number} has {len(saved['params'])} parameters in the saved state and "
                f"{len(group['params'])} in this optimizer; create it with the parameters that were saved"
            )
        ours, theirs = group.get("param_names"), saved.get("param_names")
        own = group["params"]
        if ours and theirs and len(set(ours)) == len(ours) and set(ours) == set(theirs):
            by_name = dict(zip(ours, own, strict=True))
            own = [by_name[key] for key in theirs]
        matched.update(zip(saved["params"], own, strict=True))
        new = {**group, **saved, "params": group["params"]}
        if ours:
            new["param_names"] = ours
        loaded.append(new)
    return loaded, matched


def loaded_state(
    name: str,
    matched: dict[int, Tensor],
    state: dict[Any, StateDict],
    convert: Callable[[Tensor, StateDict], StateDict],
) -> defaultdict[Any, StateDict]:
    """Return the state keyed by parameter, with converted entries; entries of no parameter are kept unchanged.

    Arguments:
        name: the operation's name, with which errors begin.
        matched: the parameter for each saved index.
        state: the saved state, by index.
        convert: a function that converts the saved entries of a parameter.

    Raises:
        ValueError: entries that do not match their parameter; TypeError if `convert` raised one.
    """
    loaded: defaultdict[Any, StateDict] = defaultdict(dict)
    for number, entries in state.items():
        parameter = matched.get(number)
        if parameter is None:
            loaded[number] = entries
            continue
        try:
            loaded[parameter] = convert(parameter, entries)
        except (TypeError, ValueError) as error:
            raise kind_of(error)(f"{name}: the state of parameter {number} does not fit: {error}") from None
        except MemoryError as error:
            no_memory(error, name, f"the state of parameter {number}")
            raise
    return loaded


def no_memory(error: Exception, operation: str, purpose: str) -> None:
    """Add the purpose of the memory to a MemoryError.

    Arguments:
        error: the error, which is modified.
        operation: the start of its message.
        purpose: the purpose of the memory.
    """
    relabel(error, operation)
    wanted = getattr(error, "purpose", None)
    error.purpose = f"{purpose}, {wanted}" if wanted else purpose  # type: ignore[attr-defined]
