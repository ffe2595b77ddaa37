"""Functions of Tensor called with distributed tensors: by a rule, on local tensors, or on whole ones."""

from __future__ import annotations

from typing import Any

from facula_errors import InvalidTypeError, UnsupportedError
from facula_tensor import Tensor
from facula_tensor.extend.overriding import disable_overrides

from .dispatch import Call, run_operator
from .random import COMPOSITES
from .rules import RULES

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
    is_dunder = name.startswith("__") and name.endswith("__")
    plain = name.strip("_")
    in_place = (name.endswith("_") and not is_dunder) or (is_dunder and plain[:1] == "i" and plain[1:] in RULES)
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
