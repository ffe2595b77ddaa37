"""Functions of Tensor called with distributed tensors: by a rule, on local tensors, or on whole ones."""

from __future__ import annotations

from typing import Any

from facula_errors import InvalidTypeError, OperationError, UnsupportedError
from facula_tensor import Tensor, empty, no_grad
from facula_tensor.extend.overriding import disable_overrides

from .dispatch import Call, run_operator
from .placements import Partial
from .random import COMPOSITES
from .rules import RULES
from .view_rules import check_index

_READS = frozenset("item tolist numpy __float__ __int__ __bool__ __index__ __complex__ equal allclose".split())
_property_names = {
    id(member): name for base in Tensor.__mro__ for name, member in vars(base).items() if isinstance(member, property)
}


def _name_of(func: Any) -> str:
    owner = getattr(func, "__self__", None)
    if isinstance(owner, property):
        return _property_names.get(id(owner), getattr(owner.fget, "__name__", "property"))
    return str(getattr(func, "__qualname__", func)).rpartition(".")[2]


def call_function(kind: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a function of Tensor for distributed tensors, which are instances of `kind`."""
    name = _name_of(func)
    is_dunder = name.startswith("__") and name.endswith("__")
    plain = name.strip("_")
    in_place = (name.endswith("_") and not is_dunder) or (is_dunder and plain[:1] == "i" and plain[1:] in RULES)
    if (in_place or plain == "setitem") and args and getattr(args[0], "_is_copy", False):
        raise OperationError(
            f"{name}: expected a DTensor that is not a view along a sharded dimension; got a view with gathered parts, "
            "a copy, whose change the other tensor would not get; use x[...] = number, change to_local(), or clone() it"
        )
    if name in _READS:
        whole = [one.full_tensor() if isinstance(one, kind) else one for one in [*args, *kwargs.values()]]
        return func(*whole[: len(args)], **dict(zip(kwargs, whole[len(args) :], strict=True)))
    if name in COMPOSITES and kwargs.get("out") is None:
        return COMPOSITES[name](kind, name, func, args, kwargs)
    if name in ("to", "cpu"):
        args, kwargs = _without_device(name, args, kwargs)
        if len(args) == 1 and not kwargs.get("copy") and not set(kwargs) - {"copy", "non_blocking"}:
            return args[0]
    if name == "data":
        return _data(kind, func, args)
    if plain == "setitem":
        return _set_items(kind, func, *args)
    if is_dunder and in_place:
        plain = plain[1:]
    rule = RULES.get(plain)
    if rule is None or kwargs.get("out") is not None:
        what = f"{plain}: expected out=None for a DTensor" if rule else f"{plain}: not supported for a DTensor"
        raise UnsupportedError(f"{what}; use the plain tensors of full_tensor() or to_local()")
    call = Call(plain, func, args, kwargs, kind, in_place or kwargs.get("inplace") is True)
    return run_operator(call, rule)


def _without_device(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return arguments of a conversion without the device, which is the CPU; NotImplementedError for others."""
    device = type(args[0].device)
    for one in (*args[1:], kwargs.get("device")):
        if isinstance(one, (str, device)) and str(one).partition(":")[0] != "cpu":
            raise UnsupportedError(f"{name}: expected the CPU as the device of a DTensor; got {one!r}; leave it out")
    return (
        tuple([one for one in args if not isinstance(one, (str, device))]),
        {key: value for key, value in kwargs.items() if key != "device"},
    )


def _set_items(kind: Any, func: Any, target: Any, index: Any, value: Any) -> None:
    """Set elements to a number; the index consists of integers, slices and an ellipsis."""
    check_index(index)
    layout = target._spec
    is_number = isinstance(value, (int, float)) or (isinstance(value, Tensor) and not value.ndim)
    if not is_number or any(isinstance(one, Partial) for one in layout.placements):
        raise UnsupportedError(
            f"setitem: expected a number, and Shard or Replicate placements; got {type(value).__name__} and "
            f"{list(layout.placements)}; change the parts of to_local()"
        )
    with disable_overrides(), no_grad():
        empty(layout.shape, device="meta")[index]  # errors of the index
        given = [one for one in (index if isinstance(index, tuple) else (index,)) if one is not None]
        at = given.index(...) if ... in given else len(given)
        given[at : at + 1] = [slice(None)] * (len(layout.shape) - len([one for one in given if one is not ...]))
        local: list[slice] = []
        for one, length, (begin, end) in zip(given, layout.shape, layout.box(), strict=True):
            chosen = range(length)[one if isinstance(one, slice) else slice(one % length, one % length + 1)]
            first = max(chosen.start, chosen.start - (chosen.start - begin) // chosen.step * chosen.step)
            local.append(slice(first - begin, max(first, min(chosen.stop, end)) - begin, chosen.step))
    with disable_overrides():
        func(target, tuple(local), value.full_tensor() if isinstance(value, kind) else value)


def _data(kind: Any, func: Any, args: tuple[Any, ...]) -> Any:
    """Get or set `.data`."""
    if len(args) == 1:
        with disable_overrides():
            local = func(*args)
        return kind._of(local, args[0]._spec)
    target, value = args
    if not isinstance(value, kind):
        raise InvalidTypeError(f"data: expected a DTensor; got {type(value).__name__}")
    with disable_overrides():
        func(target, value._local_tensor)
    target._spec = value._spec
    return None
