"""Validation of the parameters of optimizers: tensors, named tensors, or groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._types import Group, Params


class MissingError(FaculaError, ValueError, KeyError):
    """A group without parameters. Also a KeyError, which PyTorch raises."""

    __str__ = ValueError.__str__


def organized(name: str, params: Params) -> list[Group]:
    """Return the constructor's argument as a list of groups; errors begin with `name`."""
    if isinstance(params, (Tensor, str, bytes)) or not hasattr(params, "__iter__"):
        raise InvalidTypeError(
            f"{name}: expected params to be an iterable of tensors or dicts, such as [w, b] or model.parameters(); "
            f"got {type(params).__name__}"
        )
    if isinstance(params, dict):
        raise InvalidTypeError(f"{name}: expected params to be an iterable of groups; put the dict into a list")
    listed = _as_list(name, params)
    if not listed:
        raise InvalidValueError(f"{name}: got an empty list of parameters; a generator can be used once only")
    if isinstance(listed[0], dict):
        return listed
    return [{"params": listed}]


def check_group(name: str, group: Group) -> Group:
    """Return a copy of the group, with a list of leaves as "params", and "param_names" if they have names."""
    if not isinstance(group, dict):
        raise InvalidTypeError(f"{name}: expected a group to be a dict with 'params'; got {type(group).__name__}")
    if "params" not in group:
        raise MissingError(f"{name}: expected a group with 'params'; got one with {', '.join(map(str, group))}")
    params = group["params"]
    listed = [params] if isinstance(params, Tensor) else _as_list(name, params)
    names = [entry[0] for entry in listed if isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str)]
    if names and len(names) != len(listed):
        raise InvalidValueError(
            f"{name}: expected all parameters with names or none; got {len(names)} of {len(listed)}"
        )
    if names:
        listed = [entry[1] for entry in listed]
    for number, p in enumerate(listed):
        called = f"parameter {number}" + (f" ({names[number]!r})" if names else "")
        if not isinstance(p, Tensor):
            remedy = "; pass model.parameters() for a module" if hasattr(p, "parameters") else ""
            raise InvalidTypeError(f"{name}: expected {called} to be a Tensor; got {type(p).__name__}{remedy}")
        if not (p.is_leaf or p.retains_grad):
            raise InvalidValueError(
                f"{name}: expected {called} to be a leaf; it was computed by an operator, and changing it changes "
                "nothing that it was computed from. Pass the leaves, or call .detach() first"
            )
    return {**group, "params": listed, **({"param_names": names} if names else {})}


def _as_list(name: str, params: object) -> list[Any]:
    if isinstance(params, (set, frozenset)):
        raise InvalidTypeError(f"{name}: parameters need a reproducible order, which a set does not have; use a list")
    if isinstance(params, (str, bytes)) or not hasattr(params, "__iter__"):
        raise InvalidTypeError(
            f"{name}: expected 'params' to be a tensor or an iterable of them; got {type(params).__name__}"
        )
    return list(params)


def check_number(name: str, option: str, value: object, below: float = float("inf")) -> None:
    """Raise ValueError unless 0 <= value < below, and TypeError if it is not a number.

    Arguments:
        name: the optimizer's class name, with which errors begin.
        option: the option's name, for errors.
        value: the value to check.
        below: the exclusive upper bound.
    """
    value = number_of(name, option, value)
    if not 0 <= value < below:  # NaN fails too
        limits = "of 0 or more" if value != below == float("inf") else f"from 0 to below {below}"
        raise InvalidValueError(f"{name}: expected {option} {limits}; got {value}")


def check_pair(name: str, option: str, pair: Sequence[object]) -> None:
    """Raise ValueError unless `pair` has two members.

    Arguments:
        name: the optimizer's class name, with which errors begin.
        option: the option's name, for errors.
        pair: the value to check.
    """
    if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
        raise InvalidValueError(f"{name}: expected {option} to be two numbers; got {pair!r}")


def check_betas(name: str, betas: Sequence[object]) -> None:
    """Raise ValueError unless `betas` are two numbers in [0, 1)."""
    check_pair(name, "betas", betas)
    for number, beta in enumerate(betas):
        check_number(name, f"betas[{number}]", beta, below=1)


def number_of(name: str, option: str, value: Any) -> float:
    """Return a number, of Python or NumPy or in a tensor, as a float; ValueError or TypeError for other values.

    Arguments:
        name: the optimizer's class name, with which errors begin.
        option: the option's name, for errors.
        value: the value to convert.
    """
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise InvalidValueError(
                f"{name}: expected {option} to be one number; got a tensor of shape {tuple(value.shape)}"
            )
        value = value.item()
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise InvalidTypeError(f"{name}: expected {option} to be a number; got {value!r}")
    return value


def chosen(values: dict[str, Any], names: str) -> Group:
    """Return the values with these names, in their order."""
    return {name: values[name] for name in names.split()}


def place_of(parameter: Tensor, groups: list[Group]) -> str:
    """Return a parameter's name in messages: its own, or its index in `state_dict`."""
    number = 0
    for group in groups:
        for place, p in enumerate(group["params"]):
            if p is parameter:
                return repr(group["param_names"][place]) if "param_names" in group else str(number)
            number += 1
    return "?"
