"""Trimming of tracebacks, so that they end in the user's code.

Note [Trimming]
~~~~~~~~~~~~~~~
The message of a `FaculaError` is self-contained, and the library's frames add no information for the caller. Therefore
each public function is a *boundary*: it catches the error on its way out and re-raises it without the library's frames.
Frames of programs (a `forward`, a hook, a dataset) remain, even between frames of the library. Any other exception is a
bug and passes unchanged.

A boundary is an except clause of three lines,

    except FaculaError as error:
        trim_traceback(error)
        raise

which has no cost until an error occurs. A `raise` without an expression adds no entry for its own frame, so even the
boundary's frame is removed. `boundary` wraps a function, or each public method of a class, in such a clause. The
wrapper costs a call (60 to 100 ns), so functions that programs call many times per step contain the clause themselves.
Boundaries may be nested: each removes the frames that the inner one could not reach.

No hook is installed: the traceback of the exception itself is shorter, so terminals, threads, logging, notebooks,
debuggers and test runners agree. Code that reads a traceback to find the origin of an error (`relabel`, for example)
must do so before it is trimmed. Frames of the standard library between two frames of the library are also removed. A
frame is kept if otherwise none would remain, because no Python code called the library.

Arguments that do not match a function's parameters raise Python's own TypeError in the boundary's call: its traceback
contains no frame of the function, and the boundary's frame is removed.

`__context__` of a trimmed error is suppressed if it never left the library, for example a KeyError of a lookup. Causes
and contexts that are FaculaErrors are also trimmed; exceptions that a program was handling remain.
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
_full: bool | None = None  # None before the first error, at which the environment variable is read


class full_traceback:
    """Show complete tracebacks, with the library's own frames (or trim them again: `full_traceback(False)`).

    The setting takes effect in all threads from the call on; as a context manager it ends with the block.
    `FACULA_FULL_TRACEBACK=1` in the environment enables it from the start. Raises TypeError unless `enabled` is a bool.

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
    """Return whether tracebacks are shown completely."""
    global _full
    if _full is None:
        _full = os.environ.get(VARIABLE, "0") not in ("", "0")
    return _full


def trim_traceback(error: BaseException) -> None:
    """Remove the library's frames from the traceback of `error`, and from those of its causes and contexts.

    Call it in the except clause of a boundary, right before `raise`: see Note [Trimming]. Errors other than
    FaculaErrors are unchanged, unless the boundary's own call raised them.
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
        failure = pending.pop()
        if failure is None or id(failure) in seen:
            continue
        seen.add(id(failure))
        if isinstance(failure, FaculaError):
            failure.__traceback__ = without_library(failure.__traceback__)
            context = failure.__context__
            if context is not None and failure.__cause__ is None and without_library(context.__traceback__) is None:
                failure.__suppress_context__ = True  # it never left the library
        pending += [failure.__cause__, None if failure.__suppress_context__ else failure.__context__]
    if error.__traceback__ is None and own is not None and own.tb_frame.f_back is None:
        error.__traceback__ = TracebackType(None, own.tb_frame, own.tb_lasti, own.tb_lineno)


def _passes_on(trace: TracebackType | None) -> bool:
    """Return whether all frames belong to functions of the library that forward arbitrary arguments."""
    while trace is not None:
        if not (trace.tb_frame.f_code.co_flags & _ANY_ARGUMENTS and in_library(trace.tb_frame)):
            return False
        trace = trace.tb_next
    return True


def without_library(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the library's frames, and without standard-library frames between them."""
    kept: list[TracebackType] = []
    # standard-library frames below the library's; the next frame decides whether they are kept
    between: list[TracebackType] = []
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
    for entry in reversed([*kept, *between]):
        found = TracebackType(found, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return found


# Special methods that operators and statements call, and that check their arguments.
_SPECIAL = frozenset(
    "__init__ __call__ __getitem__ __setitem__ __delitem__ __iter__ __next__ __contains__ __reversed__ __add__ "
    "__iadd__ __radd__ __mul__ __rmul__ __imul__ __copy__ __deepcopy__ __reduce__ __reduce_ex__ __getstate__ "
    "__setstate__".split()
)


def boundary(target: T) -> T:
    """Make a function, or each public method of a class, a boundary of the library: see Note [Trimming].

    A generator is a boundary while it runs. Functions that contain the except clause are unchanged, so a class may mix
    both. Also unchanged are `forward`, which a module's call runs, and the getters of properties, which must be fast.
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
    """Return whether errors leave this function trimmed: it calls `trim_traceback` or is wrapped by a boundary."""
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
    # The wrapper uses the function's globals, for doctest, pickle, and the classification of its frame.
    made = FunctionType(wrapper.__code__, function.__globals__, function.__name__, None, wrapper.__closure__)
    for name in ("__module__", "__qualname__", "__doc__", "__annotations__"):
        setattr(made, name, getattr(function, name))
    made.__dict__.update(function.__dict__)
    made.__wrapped__ = function  # type: ignore[attr-defined]
    return made  # type: ignore[return-value]  # a function for a function


# inspect.CO_*, without importing inspect
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR, _ANY_ARGUMENTS = 0x20, 0x80, 0x200, 0x0C


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
