"""The `func` argument of ``__torch_function__``: the public object that the program called.

Note [Dispatch to overrides]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~
Programs compare `func` with public objects: ``func is torch.Tensor.clone``, ``func in {F.gelu: ...}``. An
operator on the slow path no longer knows which of its public forms was called (method, function, Python's
operator), nor the original arguments. So public functions dispatch to overrides before they compute:

* A class that overrides operators gets a dispatching form of each method and property of Tensor. Tensor itself
keeps the fast ones.
* `dispatch_first` replaces the code of a composite function in place. The function object stays the same, so an
earlier ``from ... import gelu`` sees the change. This happens when the first instance of such a class is made;
programs without one never pay. Functions that dispatch themselves, in the slow path or as `overridable`, are
unchanged. `func` for one of Python's operators is the method that PyTorch passes: `Tensor.add` for ``x + 1``.
The getter of a property is ``Tensor.shape.__get__``,
which compares equal each time.
"""

from __future__ import annotations

from functools import wraps
from opcode import opmap
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import FaculaError
from facula_errors.extend import boundary, trim_traceback

from .._core.errors import PUBLIC
from .._core.names import GIVEN
from .._core.parameter import Parameter
from .._core.promotion import plain_number
from .._core.tensor import Tensor
from .overrides import call_torch_function, disable_overrides, firsts, overridden, overrides, tensors_in, unwrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .._core.types import Function

# Names that PyTorch does not dispatch, and those that provide other methods' results.
_NOT_DISPATCHED = frozenset(
    "__new__ __init_subclass__ __torch_function__ __hash__ __dir__ __iter__ __buffer__ __array_wrap__ __copy__ "
    "as_subclass _repr_html_".split()
)
_PRIVATE = ("_version", "_base")  # the properties with an underscore that PyTorch dispatches

# Python's operators, and the methods that PyTorch passes for them; others are passed themselves.
_OPERATORS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_", "__sub__": "sub", "__isub__": "sub_",
    "__mul__": "mul", "__rmul__": "mul", "__imul__": "mul_", "__truediv__": "div", "__itruediv__": "div_",
    "__ifloordiv__": "floor_divide_", "__mod__": "remainder", "__imod__": "remainder_", "__matmul__": "matmul",
    "__neg__": "neg", "__pos__": "positive", "__abs__": "abs",
    "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
    "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor",
}  # fmt: skip
_BINARY = frozenset("add sub mul truediv floordiv mod matmul pow and or xor lshift rshift divmod".split())
_COMPARISONS = frozenset("__eq__ __ne__ __lt__ __le__ __gt__ __ge__".split())
_QUICK = {Tensor, Parameter, int, float, bool, str, type(None)}  # argument types that cannot override

_forms: dict[str, tuple[object, object]] = {}  # name -> Tensor's attribute and its dispatching form
_waiting: list[tuple[Mapping[str, object], tuple[str, ...]]] = []  # names of modules whose functions must dispatch


def override_methods(cls: type) -> None:
    """Give a class that overrides operators dispatching forms of all methods of Tensor that it does not define."""
    for base in Tensor.__mro__[:2]:
        for name, member in vars(base).items():
            if name in _NOT_DISPATCHED or (name.startswith("_") and not name.startswith("__") and name not in _PRIVATE):
                continue
            if not isinstance(member, (FunctionType, property)) or _found(cls, name) is not member:
                continue
            known = _forms.get(name)
            if known is None or known[0] is not member:
                made = _property(name, member) if isinstance(member, property) else _method(name, member)
                known = _forms[name] = (member, made)
            setattr(cls, name, known[1])
    if _found(cls, "__iter__") is vars(Tensor)["__iter__"]:
        cls.__iter__ = _iterate  # type: ignore[attr-defined]


def _iterate(self: Tensor) -> Iterator[Tensor]:
    """Iterate by `unbind`, which PyTorch dispatches, so that the elements are instances of the class."""
    return iter(self.unbind(0)) if overridden((self,)) and self.dim() else Tensor.__iter__(self)


def _found(cls: type, name: str) -> object:
    """Return a class attribute without binding it."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def _method(name: str, member: Function) -> Function:
    """Return the dispatching form of a method."""
    bare = name.strip("_")
    is_reflected = name.startswith("__r") and bare[1:] in _BINARY
    is_binary = is_reflected or name in _COMPARISONS or (name.startswith("__") and bare in _BINARY)
    public = getattr(Tensor, _OPERATORS.get(name, name))
    straight = f"__{bare[1:]}__"
    unreflected = getattr(Tensor, _OPERATORS.get(straight, straight)) if is_reflected else None

    @wraps(member)
    def method(self: Tensor, /, *args: Any, **kwargs: Any) -> Any:
        try:
            tensors = (self, *tensors_in(args), *tensors_in(kwargs.values())) if args or kwargs else (self,)
            if not overridden(tensors):
                return member(self, *args, **kwargs)
            if is_binary and args and not isinstance(args[0], (Tensor, np.ndarray)) and plain_number(args[0]) is None:
                with disable_overrides():  # on NotImplemented, Python tries the other operand's class
                    if member(self, *args) is NotImplemented:
                        return NotImplemented
            if unreflected is not None and isinstance(args[0], Tensor):  # a subclass's operator has priority
                return call_torch_function(name, unreflected, (args[0], self), kwargs, tensors)
            return call_torch_function(name, public, (self, *args), kwargs, tensors)
        except (FaculaError, TypeError) as error:
            trim_traceback(error)
            raise

    return method


def _property(name: str, member: property) -> property:
    """Return the dispatching form of a property."""

    @boundary
    def get(self: Tensor) -> Any:
        if not overridden((self,)):
            return member.fget(self)  # type: ignore[misc]
        return call_torch_function(name, member.__get__, (self,), {})

    @boundary
    def put(self: Tensor, value: object) -> None:
        if not overridden((self,)):
            member.fset(self, value)  # type: ignore[misc]
        else:
            call_torch_function(name, member.__set__, (self, value), {})

    @boundary
    def delete(self: Tensor) -> None:
        if not overridden((self,)):
            member.fdel(self)  # type: ignore[misc]
        else:
            call_torch_function(name, member.__delete__, (self,), {})

    return property(
        wraps(member.fget)(get),  # type: ignore[arg-type]
        put if member.fset else None,
        delete if member.fdel else None,
        member.__doc__,
    )


def make_overridable(module: Mapping[str, object], names: Iterable[str]) -> None:
    """Let these functions of a module dispatch to classes that override operators once such a class has an
    instance. Errors contain the names of the functions that the module lists.
    """
    PUBLIC.append(module)
    _waiting.append((module, tuple(names)))
    if not firsts:
        _process_waiting()


def _process_waiting() -> None:
    while _waiting:
        module, names = _waiting.pop()
        for name in names:
            function = module[name]
            if isinstance(function, FunctionType) and not _dispatches_itself(function):
                dispatch_first(function)


def _dispatches_itself(function: FunctionType) -> bool:
    op = getattr(function, "operator", None)  # with a signature, its arguments differ from its function's
    return getattr(function, "dispatches_itself", False) or (op is not None and op.public is function and op.takes_same)


def dispatch_first(function: FunctionType) -> None:
    """Replace the code of a function in place with code that dispatches to overriding classes first."""
    inner = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    inner.__kwdefaults__ = function.__kwdefaults__
    inner.__dict__.update(function.__dict__)

    def dispatching(*args: Any, **kwargs: Any) -> Any:
        if not (_QUICK.issuperset(map(type, args)) and _QUICK.issuperset(map(type, kwargs.values()))):
            tensors = (*tensors_in(args), *tensors_in(kwargs.values()))
            if overridden(tensors):
                return call_torch_function(function.__name__, function, args, kwargs, tensors)
        return inner(*args, **kwargs)

    function.__kwdefaults__ = {
        "_dispatching": dispatching,
        "_errors": (FaculaError, TypeError),
        "_trim": trim_traceback,
    }
    function.__code__ = _passing_with(inner.__code__)
    function.__dict__.update(__wrapped__=inner, dispatches_itself=True)


def _passing(*args: Any, _dispatching: Function, _errors: Any, _trim: Function, **kwargs: Any) -> Any:
    try:
        return _dispatching(*args, **kwargs)
    except _errors as error:
        _trim(error)
        raise


def _passing_inside(outside: object) -> FunctionType:
    def _passing(*args: Any, _dispatching: Function, _errors: Any, _trim: Function, **kwargs: Any) -> Any:
        try:
            return _dispatching(*args, **kwargs)
        except _errors as error:
            _trim(error)
            raise
        return outside  # so that the code has a free variable

    return _passing  # type: ignore[return-value]


def _passing_with(former: CodeType) -> CodeType:
    """Return the code of `_passing` with the name and the free variables of the former code, for debuggers. The
    number of a function's free variables is fixed when it is made, and is an instruction's argument, so the
    code must have as many.
    """
    names = former.co_freevars
    code = _passing_inside(None).__code__ if names else _passing.__code__
    instructions = bytearray(code.co_code)
    if names:
        place = next(i for i in range(0, len(instructions), 2) if instructions[i] == opmap["COPY_FREE_VARS"])
        instructions[place + 1] = len(names)
    return code.replace(
        co_freevars=names, co_code=bytes(instructions), co_name=former.co_name, co_qualname=former.co_qualname
    )


def _prepare_subclass(cls: type, **kwargs: object) -> None:
    super(Tensor, cls).__init_subclass__(**kwargs)  # type: ignore[misc]  # which is a subclass of Tensor
    if overrides(cls):
        override_methods(cls)
        cls._has_dispatching_methods = True  # type: ignore[attr-defined]


Tensor.__init_subclass__ = classmethod(_prepare_subclass)  # type: ignore[assignment]
GIVEN.update(_PRIVATE, ("_has_dispatching_methods",))
firsts.append(_process_waiting)
unwrapped.update([Tensor.__reduce_ex__, Tensor.grad.__get__])  # type: ignore[attr-defined]
