"""Tracebacks that end where the user can act.

Note [Trimming]
~~~~~~~~~~~~~~~
A `FaculaError` says all there is to say in its message; the library's frames say nothing more to whoever called it. So
each public function is a *boundary*: it catches the error on its way out and raises it again without the library's
frames. Those of programs stay (a `forward`, a hook, a dataset), whichever way control went through the library
between them; any other exception is a bug, and passes as it is, whole.

A boundary is an except clause of three lines,

    except FaculaError as error:
        trim_traceback(error)
        raise

which costs nothing until there is an error. A `raise` without an expression adds no entry for the frame it stands in,
so not even the boundary's own frame is left. `boundary` puts a function, or each public method of a class, into one;
the wrapper costs a call (60 to 100 ns), so what programs call many times a step has the clause itself. Boundaries may
lie in each other: each takes away what the inner one could not see.

Nothing is installed anywhere: the traceback of the exception itself is shorter, so terminals, threads, logging,
notebooks, debuggers and test runners agree about it. What reads a traceback to learn where an error came from
(`relabel`, say) does so before it is trimmed. Frames of the standard library between two of the library's go with
them. A frame is kept where nothing else would be left: the library was called by no Python code.

Arguments that do not fit a function's parameters are Python's own TypeError, raised by the call in the boundary: no
frame of the function is in its traceback, and the boundary's own frame is taken out.

`__context__` of a trimmed error is hidden where it never left the library: a KeyError that was one way of finding
out. Causes and contexts that are FaculaErrors are trimmed as well; what a program was handling stays.
"""

from __future__ import annotations

import os
from types import FunctionType, TracebackType

from ._classes import FaculaError, InvalidTypeError
from ._frames import in_library, in_python
from ._other_names import renamed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any, TypeVar

    Trim = Callable[[BaseException], None]
    T = TypeVar("T", bound=Callable[..., object])
    C = TypeVar("C")

VARIABLE = "FACULA_FULL_TRACEBACK"
_full: bool | None = None  # None until somebody asks: the variable is read at the first error, not at import


class full_traceback:
    """Show tracebacks whole, with the library's own frames (or trim them again: `full_traceback(False)`).

    From the call on, in all threads; as a context manager until the end of the block. `FACULA_FULL_TRACEBACK=1` in the
    environment does the same from the start. TypeError for what is no bool.

    >>> with full_traceback(True):
    ...     pass  # errors from here have all frames
    """

    __slots__ = ("former",)

    former: bool | None

    def __init__(self, enabled: bool = True) -> None:
        global _full
        if not isinstance(enabled, bool):
            raise InvalidTypeError(f"full_traceback: expected a bool; got {enabled!r:.60}")
        self.former, _full = _full, enabled

    def __enter__(self) -> None:
        pass

    def __exit__(self, *raised: object) -> None:
        global _full
        _full = self.former


def is_full() -> bool:
    """Whether tracebacks are shown whole."""
    global _full
    if _full is None:
        _full = os.environ.get(VARIABLE, "0") not in ("", "0")
    return _full


def trim_traceback(error: BaseException) -> None:
    """Take the library's frames out of the traceback of `error`, and of those that led to it.

    For the except clause of a boundary, right before its `raise`: see Note [Trimming]. Other errors than FaculaErrors
    stay as they are, unless the call in the boundary itself raised them.
    """
    if is_full():
        return
    own = error.__traceback__
    if not isinstance(error, FaculaError):
        if own is not None and own.tb_frame.f_back is not None and _passes_on(own):
            error.__traceback__ = None
        return
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, FaculaError):
            one.__traceback__ = without_library(one.__traceback__)
            context = one.__context__
            if context is not None and one.__cause__ is None and without_library(context.__traceback__) is None:
                one.__suppress_context__ = True  # it never left the library
        pending += [one.__cause__, None if one.__suppress_context__ else one.__context__]
    if error.__traceback__ is None and own is not None and own.tb_frame.f_back is None:
        error.__traceback__ = TracebackType(None, own.tb_frame, own.tb_lasti, own.tb_lineno)


def _passes_on(trace: TracebackType | None) -> bool:
    """Whether all frames are the library's, of functions that take any arguments and pass them on."""
    while trace is not None:
        if not (trace.tb_frame.f_code.co_flags & _ANY_ARGUMENTS and in_library(trace.tb_frame)):
            return False
        trace = trace.tb_next
    return True


def without_library(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the library's frames, and without Python's own between them."""
    kept: list[TracebackType] = []
    between: list[TracebackType] = []  # Python's own, under the library's: whether they stay is said by what follows
    under, dropped = False, False
    while trace is not None:
        frame = trace.tb_frame
        if in_library(frame):
            under, dropped = True, True
            between.clear()
        elif under and in_python(frame):
            between.append(trace)
        else:
            kept += between
            kept.append(trace)
            between.clear()
            under = False
        trace = trace.tb_next
    if not dropped:
        return kept[0] if kept else None
    found: TracebackType | None = None
    for one in reversed([*kept, *between]):
        found = TracebackType(found, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return found


# Methods with two underscores that programs reach by operators and statements, and that look at what they are given.
_SPECIAL = frozenset(
    "__init__ __call__ __getitem__ __setitem__ __delitem__ __iter__ __next__ __contains__ __reversed__ __add__ "
    "__iadd__ __radd__ __mul__ __rmul__ __imul__ __copy__ __deepcopy__ __reduce__ __reduce_ex__ __getstate__ "
    "__setstate__".split()
)


def boundary(target: T) -> T:
    """Make a function, or each public method of a class, a boundary of the library: see Note [Trimming].

    A generator is one while it runs. What has the except clause itself is left as it is, so that a class may mix both;
    and so are `forward`, which a module's call runs, and the getters of properties, which are quick.
    """
    if isinstance(target, type):
        for name, value in list(vars(target).items()):
            if (name in _SPECIAL or not name.startswith("_")) and name != "forward":
                made = _surrounded_member(value)
                if made is not value:
                    setattr(target, name, made)
        return target
    return _surrounded(target) if isinstance(target, FunctionType) else target  # type: ignore[return-value]


def is_boundary(function: object) -> bool:
    """Whether errors leave this function trimmed: it calls `trim_traceback`, or something that does so for it."""
    code = getattr(function, "__code__", None)
    return code is not None and ("trim_traceback" in code.co_names or "trim_traceback" in code.co_freevars)


def _surrounded_member(value: object) -> object:
    if isinstance(value, FunctionType):
        return _surrounded(value)
    if isinstance(value, (classmethod, staticmethod)):
        made = _surrounded(value.__func__)
        return value if made is value.__func__ else type(value)(made)
    if isinstance(value, property):
        setter, deleter = _surrounded(value.fset), _surrounded(value.fdel)
        if setter is not value.fset or deleter is not value.fdel:
            return property(value.fget, setter, deleter, value.__doc__)
    return value


def _surrounded(function: C) -> C:
    if not isinstance(function, FunctionType) or is_boundary(function):
        return function
    flags = function.__code__.co_flags
    if flags & (_COROUTINE | _ASYNC_GENERATOR):
        return function
    wrapper = _generator(function) if flags & _GENERATOR else _function(function)
    # The wrapper lives where the function does: for doctest, pickle, and the question whose frame this is.
    made = FunctionType(wrapper.__code__, function.__globals__, function.__name__, None, wrapper.__closure__)
    for name in ("__module__", "__qualname__", "__doc__", "__annotations__"):
        setattr(made, name, getattr(function, name))
    made.__dict__.update(function.__dict__)
    made.__wrapped__ = function  # type: ignore[attr-defined]
    return made  # type: ignore[return-value]  # a function for a function


_GENERATOR, _COROUTINE, _ASYNC_GENERATOR, _ANY_ARGUMENTS = 0x20, 0x80, 0x200, 0x0C  # inspect.CO_*, without its import


def _function(
    function: Callable[..., object],
    FaculaError: type[FaculaError] = FaculaError,
    trim_traceback: Trim = trim_traceback,
    renamed: Callable[[Callable[..., object], dict[str, Any]], dict[str, Any] | None] = renamed,
) -> FunctionType:
    def call(*args: object, **kwargs: object) -> object:
        try:
            return function(*args, **kwargs)
        except (FaculaError, TypeError) as error:
            others = renamed(function, kwargs) if kwargs else None
            if others is None:
                trim_traceback(error)
                raise
        try:
            return function(*args, **others)
        except (FaculaError, TypeError) as error:
            trim_traceback(error)
            raise

    return call  # type: ignore[return-value]


def _generator(
    function: Callable[..., Generator[object, object, object]],
    FaculaError: type[FaculaError] = FaculaError,
    trim_traceback: Trim = trim_traceback,
) -> FunctionType:
    def call(*args: object, **kwargs: object) -> Generator[object, object, object]:
        try:
            return (yield from function(*args, **kwargs))
        except (FaculaError, TypeError) as error:
            trim_traceback(error)
            raise

    return call  # type: ignore[return-value]
