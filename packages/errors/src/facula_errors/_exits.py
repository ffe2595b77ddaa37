"""Context managers that always exit with their `with` statement, even if Ctrl-C interrupts the start of `__exit__`.

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

#: Consume an iterator without interruption by Ctrl-C: ``exhaust(map(setattr, ...))`` in a `finally` completes.
exhaust: Callable[[Iterator[object]], object] = partial(deque, maxlen=0)


class Exit:
    """The descriptor of `__exit__`: the callable that a `with` statement obtains owns the block.

    See Note [Ctrl-C in a mode].

    Arguments:
        leave: the implementation of `__exit__`, a function of the context manager and its arguments.
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


# By thread, the exit callable of the `with` statement that is about to start: the interpreter obtains it just before
# `__enter__` runs.
_entering: dict[int, ref[partial[None]]] = {}


def owner_of(manager: object) -> object:
    """Return the exit callable of the `with` statement that is about to enter a context manager, or None."""
    waiting = _entering.pop(get_ident(), None)
    left = None if waiting is None else waiting()
    return left if left is not None and left.__dict__.get("inner", left.args[0]) is manager else None


def pass_on(manager: object, inner: object) -> object:
    """Let the exit callable of the `with` statement that enters `manager` also own `inner`, entered in its place.

    Returns the exit callable, or None outside of a `with` statement.
    """
    waiting = _entering.get(get_ident())
    left = None if waiting is None else waiting()
    if left is None or left.args[0] is not manager:
        return None
    left.__dict__["inner"] = inner
    return left


def enters_at_once(frame: FrameType) -> bool:
    """Return whether the current call of a frame is in a `with` statement, which enters the call's result.

    A function with immediate effect can then defer the effect to the block, so that a Ctrl-C between the call and the
    block finds the state unchanged.

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
        while not code[place]:  # skip the interpreter's inline caches of the call
            place += 2
        if code[place] != returns:
            return code[place] == begins
        caller = caller.f_back  # which receives the result of this frame
    return False


_instructions: dict[str, int] = {}  # opcodes by name


def guarded(function: Callable[P, Iterator[T]]) -> Callable[P, AbstractContextManager[T]]:
    """Decorate like `contextlib.contextmanager`, with a generator that is closed as soon as the `with` statement ends.

    Only the statement owns the generator, unless the program keeps the context manager.

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
    """The descriptor of such a context manager's `__exit__`: the callable that it returns owns the generator."""

    __slots__ = ()

    def __get__(self, manager: Guarded | None, owner: type | None = None) -> Any:
        if manager is None:
            return lambda manager, *exc: manager.__exit__(*exc)
        left = partial(_finish, ref(manager._generator))
        left.__dict__["generator"] = manager._generator  # not an argument, which a traceback would keep alive
        return left


class Guarded:
    """A context manager of a generator function. As a decorator it creates a generator for each call."""

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
        """Decorate `function`; each call is a separate block."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with Guarded(self._make):
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]  # wrapped


def _finish(generator: Callable[[], Any], kind: Any = None, error: Any = None, trace: object = None) -> bool:
    """Resume a generator to its end and return whether it suppressed the error."""
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
