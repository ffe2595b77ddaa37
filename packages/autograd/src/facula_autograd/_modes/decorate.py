"""Decorators that run only the body of a function inside a context manager."""

from __future__ import annotations

from functools import partial, wraps

from facula_errors import InvalidTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
    from contextlib import AbstractContextManager

    from .._types import AnyValue

    Make = Callable[[], AbstractContextManager[object]]

# The flags of a code object (as in the inspect module, which is slow to import).
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200


def decorate(function: Callable[..., AnyValue], make: Make, name: str) -> Callable[..., object]:
    """Wrap a function: enter a context manager for each call, or for each step of a generator.

    Arguments:
        function: the function. InvalidTypeError if it is a class or not callable.
        make: returns a new context manager.
        name: the decorator's, for the error.
    """
    if isinstance(function, type) or not callable(function):
        raise InvalidTypeError(
            f"{name}: expected a function to decorate; got {function!r}; decorate its methods, or use a with block"
        )
    inner = function
    while isinstance(inner, partial):
        inner = inner.func
    code = getattr(getattr(inner, "__func__", inner), "__code__", None)
    flags = 0 if code is None else code.co_flags
    for flag, wrapper in ((_GENERATOR, _generator), (_COROUTINE, _coroutine), (_ASYNC_GENERATOR, _async_generator)):
        if flags & flag:
            return wrapper(function, make)
    return _decorated_function(function, make)


def _decorated_function(function: Callable[..., object], make: Make) -> Callable[..., object]:
    @wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        with make():
            return function(*args, **kwargs)

    return call


def _coroutine(function: Callable[..., Awaitable[object]], make: Make) -> Callable[..., object]:
    @wraps(function)
    async def call(*args: object, **kwargs: object) -> object:
        with make():
            return await function(*args, **kwargs)

    return call


def _generator(function: Callable[..., Generator[object, object, object]], make: Make) -> Callable[..., object]:
    @wraps(function)
    def steps(*args: object, **kwargs: object) -> Generator[object, object, object]:
        with make():
            generator = function(*args, **kwargs)
        send: Callable[..., object] = generator.send
        value: object = None
        while True:
            try:
                with make():
                    item = send(value)
            except StopIteration as stop:
                return stop.value
            try:
                value = yield item
                send = generator.send
            except GeneratorExit:
                with make():
                    generator.close()
                raise
            except BaseException as error:
                send, value = generator.throw, error

    return steps


def _async_generator(function: Callable[..., AsyncGenerator[object, object]], make: Make) -> Callable[..., object]:
    @wraps(function)
    async def steps(*args: object, **kwargs: object) -> AsyncGenerator[object, object]:
        with make():
            generator = function(*args, **kwargs)
        send: Callable[..., Awaitable[object]] = generator.asend
        value: object = None
        while True:
            try:
                with make():
                    item = await send(value)
            except StopAsyncIteration:
                return
            try:
                value = yield item
                send = generator.asend
            except GeneratorExit:
                with make():
                    await generator.aclose()
                raise
            except BaseException as error:
                send, value = generator.athrow, error

    return steps
