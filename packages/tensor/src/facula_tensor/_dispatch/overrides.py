"""Subclasses that take part in operators: the ``__torch_function__`` protocol.

An operator with an instance of a subclass among its operands calls the class:
``__torch_function__(cls, func, types, args=(), kwargs=None)``, whose default runs the operator on plain
tensors and makes the results instances of the class. `Parameter` is exempt. The name is PyTorch's, so
that existing subclasses work.

Note [Overrides]
~~~~~~~~~~~~~~~~
The fast path has no check for overrides. The layout of an instance of such a class is wrapped
(`WrappedLayout`). Plan tables never contain wrapped layouts, so the fast path misses and falls back to code
that checks for overrides. `wrap_layout` wraps the layout wherever an instance is made. Gradient rules see plain
tensors: the nodes of such calls run with overrides disabled.

Composite functions (`overridable`) dispatch as one function. They check a list that is empty until an instance
of such a class exists, so programs without overrides pay nothing. Note [Dispatch to overrides] in torch_function.py
describes `func` for methods, properties and other functions.
"""

from __future__ import annotations

from functools import wraps
from types import FunctionType, MethodWrapperType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

from facula_autograd.extend.modes import active_modes, current_mode, replace_mode
from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary, is_boundary, renamed, trim_traceback

from .._core.parameter import Parameter
from .._core.tensor import Tensor, alias, method
from .._core.wrapped import WrappedLayout
from .autocast import LISTED_FUNCTIONS, autocast_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .._core.types import Args, Function, Kwargs, Operands, Parameters, Result
    from .operator import Operator

F = TypeVar("F", bound="Callable[..., Any]")
T = TypeVar("T", bound=Tensor)


def overridden(operands: Operands) -> bool:
    """Return whether an operand's class overrides operators and overrides are enabled."""
    for a in operands:
        if isinstance(a, Tensor) and type(a._layout) is WrappedLayout:
            return not active_modes or current_mode().overrides
    return False


def call_override(op: Operator, operands: Operands, parameters: Parameters, out: Tensor | None) -> Result:
    """Call ``__torch_function__`` of the operands' classes, subclasses first, then from left to right."""
    kwargs = {} if out is None else {"out": out}
    args: Args = operands
    if op.arity < 0:
        args = (operands, parameters)
    elif parameters:
        args = (*operands, parameters)
    takes_same = op.takes_same or not (parameters or any([isinstance(a, Tensor) for a in operands[1:]]))
    return call_torch_function(op.name, op.public if takes_same else op.call, args, kwargs, operands)


def call_torch_function(name: str, function: Function, args: Args, kwargs: Kwargs, operands: Operands = ()) -> Any:
    """Return the first result that is not NotImplemented; TypeError if all classes decline. `operands`:
    tensors, if not `args`."""
    types: list[type] = []
    for a in operands or args:
        kind = type(a)
        if isinstance(a, Tensor) and type(a._layout) is WrappedLayout and kind not in types:
            place = next((i for i, other in enumerate(types) if issubclass(kind, other)), len(types))
            types.insert(place, kind)
    for kind in types:
        result = kind.__torch_function__(function, tuple(types), args, kwargs)  # type: ignore[attr-defined]
        if result is not NotImplemented:
            return result
    raise InvalidTypeError(
        f"{name}: no operand's __torch_function__ handles {', '.join(kind.__name__ for kind in types)}; "
        "return a result in one of them instead of NotImplemented"
    )


_overriding: list[None] = []  # not empty once a class that overrides operators has an instance, or autocast was used
firsts: list[Callable[[], None]] = []  # called when the first such instance is made
_overridable: dict[Function, Function] = {}  # a composite function: its overridable form


def overridable(function: F) -> F:
    """Let classes that override operators intercept `function`, a composite of several operators, as one call."""

    inner = function.__wrapped__ if is_boundary(function) and hasattr(function, "__wrapped__") else function

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if _overriding:
                tensors = tuple(tensors_in((*args, *kwargs.values())))
                if overridden(tensors):
                    return call_torch_function(call.__name__, call, args, kwargs, tensors)
                state = autocast_state()
                if state is not None and call.__name__ in LISTED_FUNCTIONS:
                    cast = state.arguments(call.__name__, args, kwargs, tensors, current_mode().grad)
                    if cast is not None:
                        with replace_mode(autocast=None):
                            return inner(*cast[0], **cast[1])
            return inner(*args, **kwargs)
        except (FaculaError, TypeError) as error:
            others = renamed(inner, kwargs) if kwargs else None
            if others is None:
                trim_traceback(error)
                raise
        try:
            return call(*args, **others)
        except (FaculaError, TypeError) as error:
            trim_traceback(error)
            raise

    call.dispatches_itself = True  # type: ignore[attr-defined]
    _overridable[function] = call
    return call  # type: ignore[return-value]


def overridable_method(method: Function) -> Function:
    """Return the form of a method that dispatches to classes that override operators."""
    return _overridable.get(method, method)


def watch_functions() -> None:
    """Let composite functions and listed methods check for autocast from now on."""
    _overriding[:] = [None]
    for name, function in list(vars(Tensor).items()):
        if name in LISTED_FUNCTIONS and isinstance(function, FunctionType) and function in _overridable:
            setattr(Tensor, name, _overridable[function])


def tensors_in(values: Iterable[object]) -> Iterator[Tensor]:
    """Return the tensors among values, and in lists and tuples of them."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


class disable_overrides(replace_mode):
    """Run a block, or a decorated function, in which subclasses are treated as plain tensors."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(overrides=False)


def default_torch_function(
    cls: type, func: Function, types: tuple[type, ...], args: Args = (), kwargs: Kwargs | None = None
) -> Any:
    """Run `func` on plain tensors and make its results instances of the class. Return NotImplemented if another
    operand's class is not among this one's bases, so that it can take over."""
    if not all([issubclass(cls, kind) for kind in types]) or is_foreign(func):
        return NotImplemented
    with disable_overrides():
        result = func(*args, **(kwargs or {}))
    return result if func in unwrapped else wrap(result, cls, args)


def plain_torch_function(
    cls: type,
    func: Function,
    types: tuple[type, ...],
    args: Args = (),
    kwargs: Kwargs | None = None,
) -> Any:
    """Run `func` on plain tensors and return plain results: the implementation for a class that disables overrides.

    Arguments:
        cls: the class that is dispatched to.
        func: the function that was called.
        types: the classes among its arguments; ignored.
        args: its positional arguments.
        kwargs: its keyword arguments, or None.

    Returns:
        The function's result; NotImplemented for a function of PyTorch.
    """
    if is_foreign(func):
        return NotImplemented
    with disable_overrides():
        return func(*args, **(kwargs or {}))


def is_foreign(func: object) -> bool:
    """Return whether this is a function of PyTorch, which also dispatches its own functions to all classes with
    this method."""
    if type(func) is MethodWrapperType:  # of a property's getter
        return type(func.__self__) is not property
    return type(func) is not FunctionType or func.__module__.partition(".")[0] == "torch"


Tensor.__torch_function__ = classmethod(default_torch_function)  # type: ignore[attr-defined]
Parameter.__torch_function__ = classmethod(plain_torch_function)  # type: ignore[attr-defined]
unwrapped: set[Function] = set()  # functions whose results keep their class


def overrides(cls: type) -> bool:
    """Return whether operators dispatch to this class."""
    return cls is not Tensor and getattr(cls.__torch_function__, "__func__", None) is not plain_torch_function  # type: ignore[attr-defined]


def wrap(result: Any, cls: type, args: Args = ()) -> Any:
    """Convert tensors among the results to instances of `cls`, except those that were passed in `args`."""
    if isinstance(result, Tensor):
        if isinstance(result, cls) or any([result is a for a in args]):
            return result
        return as_subclass(result, cls)
    if isinstance(result, (tuple, list)):
        return type(result)([wrap(item, cls, args) for item in result])
    return result


@method()
@boundary
def as_subclass(self: Tensor, cls: type[T]) -> T:
    """Return this tensor as an instance of a subclass of Tensor with the same memory, history and view family.

    >>> from facula_tensor import Tensor, ones
    >>> class Metres(Tensor):
    ...     pass
    >>> type(ones(2).as_subclass(Metres) + 1).__name__
    'Metres'
    """
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise InvalidTypeError(f"as_subclass: expected a subclass of Tensor; got {cls!r}")
    new = alias(self, cls)
    new.node = self.node
    if self.is_leaf and self.node is not None:
        new.node = None
        new.requires_grad_()
    if hasattr(self, "_viewed"):
        new._viewed = self._viewed
        if hasattr(self, "_views"):
            new._views = self._views
            self._views.append(ref(new))
    return wrap_layout(new)


def wrap_layout(tensor: T) -> T:
    """Wrap the tensor's layout if its class overrides operators."""
    if overrides(type(tensor)) and type(tensor._layout) is not WrappedLayout:
        if firsts and hasattr(type(tensor), "_has_dispatching_methods"):
            _overriding[:] = [None]
            while firsts:
                firsts.pop()()
        tensor._layout = WrappedLayout(tensor._layout)  # type: ignore[assignment]
    return tensor
