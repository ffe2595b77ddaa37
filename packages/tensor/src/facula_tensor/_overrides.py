"""Subclasses that take part in operators: the ``__torch_function__`` protocol.

A class that defines ``__torch_function__(cls, func, types, args=(), kwargs=None)`` is asked for every
operator that one of its instances is an operand of; `super().__torch_function__` runs the operator and
makes the results instances of the class. The name is kept so that existing subclasses work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import current_mode, replace_mode, special

from ._tensor import Overridden, Tensor, layout_of_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._operator import Operator


def overridden(operands: tuple) -> bool:
    """Whether an operand's class overrides operators, and overriding is not switched off."""
    for a in operands:
        if isinstance(a, Tensor) and type(a._layout) is Overridden:
            return not special or current_mode().overrides
    return False


def call_override(op: Operator, operands: tuple, parameters: tuple, out: Any) -> Any:
    """Ask the operands' classes, subclasses first, then from left to right."""
    kwargs = {} if out is None else {"out": out}
    function = op.public_with(parameters)
    return ask(op.name, function, operands, kwargs)


def ask(name: str, function: Callable, operands: tuple, kwargs: dict) -> Any:
    """The first answer that is not NotImplemented; TypeError where all decline."""
    types: list[type] = []
    for a in operands:
        kind = type(a)
        if isinstance(a, Tensor) and type(a._layout) is Overridden and kind not in types:
            place = next((i for i, other in enumerate(types) if issubclass(kind, other)), len(types))
            types.insert(place, kind)
    for kind in types:
        result = kind.__torch_function__(function, tuple(types), operands, kwargs)  # type: ignore[attr-defined]
        if result is not NotImplemented:
            return result
    raise TypeError(f"{name}: no operand's __torch_function__ handles {', '.join(kind.__name__ for kind in types)}")


class disable_overrides(replace_mode):
    """Run a block, or a decorated function, in which subclasses are treated as plain tensors."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(overrides=False)


def default_torch_function(cls: type, func: Callable, types: tuple, args: tuple = (), kwargs: dict | None = None) -> Any:
    """Run `func` on plain tensors and make its results instances of `cls`."""
    with disable_overrides():
        result = func(*args, **(kwargs or {}))
    return wrap(result, cls)


def wrap(result: Any, cls: type) -> Any:
    """Tensors among the results as instances of `cls`."""
    if isinstance(result, Tensor):
        if isinstance(result, cls):
            return result
        new = object.__new__(cls)
        new._layout, new._storage, new._offset, new.node = result._layout, result._storage, result._offset, result.node
        return mark(new)
    if isinstance(result, (tuple, list)):
        return type(result)(wrap(item, cls) for item in result)
    return result


def mark(tensor: Tensor) -> Tensor:
    """Make operators see that the tensor's class overrides them."""
    if hasattr(type(tensor), "__torch_function__") and type(tensor._layout) is not Overridden:
        tensor._layout = Overridden(layout_of_tensor(tensor))  # type: ignore[assignment]
    return tensor
