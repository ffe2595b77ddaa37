"""facula.overrides: the protocol `__torch_function__`, for programs' functions: which classes to ask, and asking them.

facula's operators ask the classes of their operands themselves; see `Tensor.__torch_function__`.
"""

from __future__ import annotations

from functools import cache, wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import facula_tensor
from facula_autograd.extend.modes import current_mode
from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, functional

from . import fft, linalg, special
from ._lookup.names import publish
from ._lookup.refusals import Kind, Refusal, Refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from ._types import AnyValue

__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "get_ignored_functions", "get_overridable_functions",
    "get_testing_overrides", "handle_torch_function", "has_torch_function", "is_tensor_like",
    "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
]  # fmt: skip

P = ParamSpec("P")
T = TypeVar("T")


_modes = Refusals(
    "overrides", "override __torch_function__ in a subclass of Tensor, and make instances with as_subclass"
)
BaseTorchFunctionMode: Kind = _modes.kind("BaseTorchFunctionMode")
TorchFunctionMode: Kind = _modes.kind("TorchFunctionMode")
_lists = Refusals(
    "overrides", "print func in __torch_function__ of a subclass of Tensor, which is asked about each call"
)
get_ignored_functions: Refusal = _lists.function("get_ignored_functions")
get_overridable_functions: Refusal = _lists.function("get_overridable_functions")
get_testing_overrides: Refusal = _lists.function("get_testing_overrides")


def is_tensor_like(inp: object) -> bool:
    """Return whether a value can override operators: a tensor, or an object with `__torch_function__`.

    >>> is_tensor_like(0.5)
    False
    """
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


def _overriding(values: Iterable[object]) -> list[object]:
    """Return the values whose classes override operators, one per class: subclasses first, then from left to right."""
    found: list[object] = []
    if not current_mode().overrides:
        return found
    plain = getattr(Parameter.__torch_function__, "__func__", None)  # type: ignore[attr-defined]
    for value in values:
        kind = type(value)
        method = getattr(kind, "__torch_function__", None)
        if kind is Tensor or method is None or getattr(method, "__func__", None) is plain:
            continue
        if kind not in [type(operand) for operand in found]:
            place = next((i for i, operand in enumerate(found) if issubclass(kind, type(operand))), len(found))
            found.insert(place, value)
    return found


def has_torch_function(relevant_args: Iterable[object]) -> bool:
    """Return whether a value among `relevant_args` has a class that overrides operators."""
    return bool(_overriding(relevant_args))


@boundary
def handle_torch_function(
    public_api: Callable[..., object], relevant_args: Iterable[object], *args: object, **kwargs: object
) -> AnyValue:
    """Return the first override of a call of `public_api` by the classes in `relevant_args`.

    Arguments:
        public_api: the function that asks.
        relevant_args: its tensors and tensor-like arguments.
        args, kwargs: the arguments of its call.

    Raises:
        TypeError: all return NotImplemented.
    """
    asked = _overriding(relevant_args)
    types = tuple([type(operand) for operand in asked])
    for operand in asked:
        result = operand.__torch_function__(public_api, types, args, kwargs)  # type: ignore[attr-defined]
        if result is not NotImplemented:
            return result
    raise InvalidTypeError(
        f"{getattr(public_api, '__name__', public_api)}: no operand's __torch_function__ handles "
        f"{', '.join(kind.__name__ for kind in types) or 'it, as none overrides it'}; "
        "return a result in one of them instead of NotImplemented"
    )


@boundary
def wrap_torch_function(
    dispatcher: Callable[..., Iterable[object]],
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that asks the classes of the values that `dispatcher` returns for the arguments.

    >>> @wrap_torch_function(lambda x: (x,))
    ... def double(x):
    ...     return x + x
    >>> double(3)
    6
    """

    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(call, relevant, *args, **kwargs)  # type: ignore[no-any-return]  # a class answers
            return function(*args, **kwargs)

        return call

    return wrap


@cache
def _names() -> dict[object, str]:
    found: dict[object, str] = {}
    places: dict[str, ModuleType | type] = {
        "torch.nn.functional": functional, "torch.fft": fft, "torch.linalg": linalg, "torch.special": special,
        "torch.Tensor": Tensor, "torch": facula_tensor,
    }  # fmt: skip
    for place, owner in places.items():
        for name in dir(owner):
            value = vars(owner).get(name)
            if callable(value) and not name.startswith("_"):
                found[value] = f"{place}.{name}"
    return found


def resolve_name(f: Callable[..., object]) -> str | None:
    """Return PyTorch's name of a function, as text; None if it is not known."""
    return _names().get(f)


def is_tensor_method_or_property(func: Callable[..., object]) -> bool:
    """Return whether `func` is a method of Tensor, or reads a property of it.

    >>> is_tensor_method_or_property(Tensor.add)
    True
    """
    owner = getattr(func, "__self__", None)
    return func in vars(Tensor).values() or (owner is not None and owner in vars(Tensor).values())


publish(__name__)
