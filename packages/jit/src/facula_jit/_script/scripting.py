"""`script`: functions and modules in which tensors may decide Python control flow, even if their values cannot
be read.
"""

from __future__ import annotations

import ast
import copy
from sysconfig import get_paths
from types import CellType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from weakref import WeakKeyDictionary

from facula_errors import InvalidTypeError, UnsupportedError
from facula_errors.extend import boundary, library

from .._files.errors import SaveError
from .._source.closures import cells_of
from .._source.function_ast import SourceError, function_of, tree_of
from . import runtime as _flow
from .liveness import inside
from .rewriter import CALLEE, FLOW, rewritten

if TYPE_CHECKING:
    from collections.abc import Callable

    F = TypeVar("F", bound=Callable[..., object])

T = TypeVar("T")

_INSTALLED = tuple({get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_MARK = "__facula_script__"  # an attribute of functions: "ignore", "unused", "export"
_by_code: WeakKeyDictionary[CodeType, CodeType | None] = WeakKeyDictionary()  # None: not rewritten
_made: WeakKeyDictionary[FunctionType, None] = WeakKeyDictionary()


@boundary
def script(obj: T, optimize: object = None, *, example_inputs: object = None) -> T:
    """Return a function or module in which tensors may decide `if`, `while`, `for` and `and` inside `capture`.

    The source is read and rewritten as a tree; the result behaves like the original. If a condition is a tensor during
    a capture, or is batched by `vmap`, the statement becomes `cond` or `while_loop` of the variables that are read
    later. Functions of the program that it calls are rewritten at their calls, except those marked by `ignore`. A
    statement that cannot become a function (a `break`, a `return` in a loop) breaks the capture if a tensor decides;
    the message names the construct and the line.

    For a module, the result is a copy that shares its parameters and buffers. The `forward` methods of the copy and its
    submodules are rewritten, and methods marked by `export`. A class is returned unchanged.

    Arguments:
        obj: the function or module.
        optimize, example_inputs: ignored.

    Raises:
        RuntimeError: the source is not available, is not a `def`, or contains a `yield`.
        TypeError: `obj` is not callable.

    >>> from facula_jit import capture
    >>> from facula_tensor import tensor
    >>> def halved(x):
    ...     while x.sum() > 1:
    ...         x = x / 2
    ...     return x
    >>> script(halved)(tensor([4.0, 4.0]))  # doctest: +SKIP
    tensor([0.5000, 0.5000])
    """
    if isinstance(obj, FunctionType):
        return obj if _mark_of(obj) == "ignore" else scripted(obj)  # type: ignore[return-value]
    if isinstance(obj, MethodType):
        return MethodType(scripted(obj.__func__), obj.__self__)  # type: ignore[return-value, arg-type]
    if isinstance(obj, type):
        return obj
    if hasattr(obj, "named_modules"):
        return _scripted_module(obj, {})  # type: ignore[no-any-return]
    if callable(obj):
        raise InvalidTypeError(
            f"script: expected a function that is defined by def, or a module; got {type(obj).__name__} {obj!r:.60}"
        )
    raise InvalidTypeError(f"script: expected a function or a module; got {type(obj).__name__} {obj!r:.60}")


def scripted(function: FunctionType) -> FunctionType:
    """Return the script of a function; raise RuntimeError if there is none."""
    if function in _made:
        return function
    code = function.__code__
    like = _by_code.get(code)
    if like is None:
        tree = tree_of(function)
        for node in inside(tree.body):
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                where = f"{code.co_filename}:{node.lineno}"
                raise SourceError(
                    f"script: {function.__qualname__}: `yield` cannot be captured (at {where}); use a list"
                )
        like = function_of(rewritten(tree), function, {FLOW: _flow, CALLEE: callee}).__code__
        _by_code[code] = like
    cells = cells_of(function)
    cells.update({FLOW: CellType(_flow), CALLEE: CellType(callee)})
    closure = tuple([cells[name] for name in like.co_freevars])
    made = FunctionType(like, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    made.__doc__, made.__module__, made.__annotations__ = (
        function.__doc__,
        function.__module__,
        function.__annotations__,
    )
    made.__dict__.update({"save": _cannot_save, **function.__dict__})
    _made[made] = None
    return made


def callee(function: Any) -> Any:
    """Return the callable for a call in a script: the script of a function of the program, or the function itself."""
    if type(function) is MethodType:
        own = callee(function.__func__)
        return function if own is function.__func__ else MethodType(own, function.__self__)
    if type(function) is not FunctionType or function in _made:
        return function
    if function is is_scripting:
        return lambda: True
    code = function.__code__
    if code in _by_code:
        like = _by_code[code]
        return function if like is None else scripted(function)
    mark = _mark_of(function)
    if mark == "unused":
        raise UnsupportedError(f"script: {function.__qualname__} is marked as unused; call it outside of scripts")
    package = str(function.__module__).partition(".")[0]
    if mark != "ignore" and package not in library and not code.co_filename.startswith(_INSTALLED):
        try:
            return scripted(function)
        except SourceError:
            pass
    if len(_by_code) < MAX_KNOWN:
        _by_code[code] = None
    return function


MAX_KNOWN = 10_000


def _scripted_module(module: Any, known: dict[int, Any]) -> Any:
    """Return a copy of a module and its submodules that shares their tensors."""
    if id(module) in known:
        return known[id(module)]
    made = known[id(module)] = copy.copy(module)
    kind = type(module)
    methods: dict[str, Callable[..., Any]] = {
        name: scripted(value)
        for base in reversed(kind.__mro__)
        if base.__module__.partition(".")[0] not in library
        for name, value in vars(base).items()
        if type(value) is FunctionType and (name == "forward" or _mark_of(value) == "export")
    }
    if methods:
        if not hasattr(kind, "save"):
            methods["save"] = _cannot_save
        made.__class__ = type(kind.__name__, (kind,), {"__module__": kind.__module__, "__qualname__": kind.__qualname__,
                                                       "__doc__": kind.__doc__, **methods})  # fmt: skip
    own = vars(made)
    for name, attribute in list(own.items()):
        if hasattr(type(attribute), "named_modules"):
            own[name] = _scripted_module(attribute, known)
    return made


def _cannot_save(*args: object, **kwargs: object) -> NoReturn:
    """Raise SaveError with instructions: the `save` method of scripts, which PyTorch has."""
    raise SaveError(
        "save: a script has no recorded sizes, which files require; call trace(it, example_inputs).save(path), "
        "which keeps control flow that depends on tensors"
    )


# ----------------------------------------------------------------------------------------------------------- marks
def _mark_of(function: Any) -> str:
    return str(getattr(function, _MARK, ""))


def _marked(function: F, mark: str) -> F:
    setattr(function, _MARK, mark)
    return function


def is_scripting() -> bool:
    """Return whether this code runs as a script: False, and True inside a script.

    >>> is_scripting()
    False
    """
    return False


@boundary
def ignore(drop: F | bool = False, **options: object) -> F | Callable[[F], F]:
    """Mark a function that scripts call without rewriting it. Use with or without parentheses.

    >>> @ignore
    ... def f(x):
    ...     return x + 1
    >>> f(1)
    2
    """
    return _marked(drop, "ignore") if callable(drop) else lambda function: _marked(function, "ignore")


@boundary
def unused(fn: F) -> F:
    """Mark a function that scripts must not call: a call raises NotImplementedError."""
    return _marked(fn, "unused")


@boundary
def export(fn: F) -> F:
    """Mark a method that `script` rewrites in addition to `forward`."""
    return _marked(fn, "export")
