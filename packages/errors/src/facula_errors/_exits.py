"""Context managers that end however their `with` statement ends, also by a Ctrl-C where `__exit__` begins.

See Note [Ctrl-C in a mode] in `facula_autograd/_modes/mode_state.py`.
"""

from __future__ import annotations

from _thread import get_ident
from collections import deque
from functools import partial, wraps
from weakref import ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import FrameType
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")
    F = TypeVar("F", bound=Callable[..., Any])

#: Goes through an iterator without a moment for a Ctrl-C: ``exhaust(map(setattr, ...))`` in a `finally` is done whole.
exhaust: Callable[[Iterator[object]], object] = partial(deque, maxlen=0)


class Exit:
    """The descriptor of `__exit__`: what it gives for one `with` statement owns the block; Note [Ctrl-C in a mode].

    Arguments:
        leave: what `__exit__` does, a function of the context manager and of its arguments.
    """

    __slots__ = ("_leave",)

    def __init__(self, leave: Callable[..., None]) -> None:
        self._leave = leave

    def __get__(self, manager: object, owner: type | None = None) -> Callable[..., None]:
        if manager is None:
            return self._leave
        left = partial(self._leave, manager)
        _entering[get_ident()] = ref(left)
        return left


# In each thread what the `with` statement that begins now will call at its end: the interpreter asks for it just before
# `__enter__` runs.
_entering: dict[int, ref[partial[None]]] = {}


def owner_of(manager: object) -> object:
    """What the `with` statement that is about to enter a context manager will call at its end; None without one."""
    waiting = _entering.pop(get_ident(), None)
    left = None if waiting is None else waiting()
    return left if left is not None and left.__dict__.get("inner", left.args[0]) is manager else None


def pass_on(manager: object, inner: object) -> object:
    """Let the `with` statement that is about to enter a context manager own what another one enters in its place.

    Returns what it will call at its end; None without one.
    """
    waiting = _entering.get(get_ident())
    left = None if waiting is None else waiting()
    if left is None or left.args[0] is not manager:
        return None
    left.__dict__["inner"] = inner
    return left


def enters_at_once(frame: FrameType) -> bool:
    """Whether the call that a frame is making is that of a `with` statement, which enters what it returns.

    What acts when it is made need not do so then, and a Ctrl-C between the call and the block finds nothing changed.

    >>> from sys import _getframe
    >>> def make():
    ...     print(enters_at_once(_getframe(1)))
    ...     return block()
    >>> @guarded
    ... def block():
    ...     yield
    >>> _ = make()
    False
    >>> with make():
    ...     pass
    True
    """
    if not _instructions:
        from opcode import opmap

        _instructions.update(opmap)
    returns, begins = _instructions["RETURN_VALUE"], _instructions.get("BEFORE_WITH", _instructions["COPY"])
    caller: FrameType | None = frame
    while caller is not None:
        code, place = caller.f_code.co_code, caller.f_lasti + 2
        while not code[place]:  # room for what the interpreter remembers of the call
            place += 2
        if code[place] != returns:
            return code[place] == begins
        caller = caller.f_back  # which gets what this one returns
    return False


_instructions: dict[str, int] = {}  # by their names


def guarded(function: Callable[P, Iterator[T]]) -> Callable[P, AbstractContextManager[T]]:
    """`contextlib.contextmanager`, whose generator is closed as soon as the `with` statement has ended.

    The statement alone owns the generator, unless the program keeps the context manager.

    >>> @guarded
    ... def block():
    ...     print("begins")
    ...     try:
    ...         yield 1
    ...     finally:
    ...         print("ends")
    >>> with block() as one:
    ...     print(one)
    begins
    1
    ends
    """

    @wraps(function)
    def make(*args: P.args, **kwargs: P.kwargs) -> AbstractContextManager[T]:
        return Guarded(partial(function, *args, **kwargs))  # type: ignore[return-value]  # __exit__ is a descriptor

    return make


class _Owning:
    """The descriptor of `__exit__` of such a context manager: what it gives holds the generator."""

    __slots__ = ()

    def __get__(self, manager: Guarded | None, owner: type | None = None) -> Any:
        if manager is None:
            return lambda manager, *exc: manager.__exit__(*exc)
        left = partial(_finish, ref(manager._generator))
        left.__dict__["generator"] = manager._generator  # not an argument, which a traceback would keep
        return left


class Guarded:
    """A context manager made of a generator function. As a decorator it makes a generator for each call."""

    __slots__ = ("_generator", "_make")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make, self._generator = make, make()

    def __enter__(self) -> Any:
        try:
            return next(self._generator)
        except BaseException:
            self._generator.close()
            raise

    __exit__ = _Owning()

    def __call__(self, function: F) -> F:
        """Decorate `function`; each call is a block of its own."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with Guarded(self._make):
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]  # wrapped


def _finish(generator: Callable[[], Any], kind: Any = None, error: Any = None, trace: object = None) -> bool:
    """Let a generator go on to its end. Whether it took the error."""
    if kind is None:
        next(generator(), None)
        return False
    try:
        generator().throw(error)
    except StopIteration as stop:
        return stop is not error
    except BaseException as raised:
        if raised is not error:
            raise
    return False
