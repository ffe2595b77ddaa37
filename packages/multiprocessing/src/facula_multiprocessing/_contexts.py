"""Contexts of `multiprocessing` whose queues, pipes, pools and processes send arrays through shared memory."""

from __future__ import annotations

import multiprocessing
import os
import sys
from contextlib import nullcontext
from importlib import import_module
from multiprocessing import connection, context, process, queues, reduction
from typing import TYPE_CHECKING, Any, TypeAlias

from facula_errors import InvalidValueError, OperationError

from ._fork_server import imported, preload_fork_server
from ._reductions import Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import BaseContext

    _Queue: TypeAlias = queues.Queue[Any]
    _JoinableQueue: TypeAlias = queues.JoinableQueue[Any]
    _SimpleQueue: TypeAlias = queues.SimpleQueue[Any]
else:
    _Queue, _JoinableQueue, _SimpleQueue = queues.Queue, queues.JoinableQueue, queues.SimpleQueue


__all__ = ["CONTEXTS", "GUARD", "Connection", "DefaultContext", "JoinableQueue", "Process", "Queue", "SimpleQueue"]


class Connection(connection.Connection):
    """An end of a pipe."""

    def send(self, obj: object) -> None:
        """Send an object; arrays go through shared memory."""
        with Message(obj) as message:
            self.send_bytes(message.data)

    @classmethod
    def instead_of(cls, plain: Any) -> Connection:
        """The same end, taken over from one of `multiprocessing`'s."""
        made = cls(plain._handle, plain._readable, plain._writable)
        plain._handle = None
        return made


def _reduce_connection(end: Connection) -> tuple[Callable[..., object], tuple[Any, ...]]:
    return _connection, (reduction.DupFd(end.fileno()), end.readable, end.writable)


def _connection(descriptor: Any, readable: bool, writable: bool) -> Connection:
    return Connection(descriptor.detach(), readable, writable)


reduction.register(Connection, _reduce_connection)


class Queue(_Queue):
    """A queue. What is put is taken as it is at that moment; an error of its pickling is raised by `put`."""

    def put(self, obj: object, block: bool = True, timeout: float | None = None) -> None:
        """Send an object; arrays go through shared memory."""
        with Message(obj) as message:
            super().put(message, block, timeout)


class JoinableQueue(_JoinableQueue):
    """A queue that can be waited for until all that was put is done."""

    def put(self, obj: object, block: bool = True, timeout: float | None = None) -> None:
        """Send an object; arrays go through shared memory."""
        with Message(obj) as message:
            super().put(message, block, timeout)


class SimpleQueue(_SimpleQueue):
    """A queue without a thread of its own."""

    _reader: Any
    _writer: Any
    _wlock: Any

    def __init__(self, *, ctx: BaseContext) -> None:
        super().__init__(ctx=ctx)
        self._reader, self._writer = map(Connection.instead_of, (self._reader, self._writer))
        self._poll = self._reader.poll

    def put(self, obj: object) -> None:
        """Send an object; arrays go through shared memory."""
        with Message(obj) as message, self._wlock or nullcontext():
            self._writer.send_bytes(message.data)


GUARD = (
    "a process that is not forked imports the program's file: what starts processes belongs under "
    "`if __name__ == '__main__':`, and what they run into a file"
)


class _Sent(process.BaseProcess):
    """A process whose arguments go to it through shared memory, where it is not forked."""

    def start(self) -> None:
        """Start the process.

        Raises:
            OperationError: it would fail, as it could not import what it is to run.
        """
        method = getattr(self, "_start_method", None) or multiprocessing.get_start_method()
        if method != "fork":
            _check_found(self)
        if method == "forkserver":
            preload_fork_server()
        super().start()

    def __reduce__(self) -> tuple[object, ...]:
        context.assert_spawning(self)
        return _started, (Message((type(self), self.__getstate__())), imported("facula.multiprocessing"))


def _started(
    parts: tuple[type[process.BaseProcess], dict[str, object]], modules: tuple[str, ...]
) -> process.BaseProcess:
    for name in modules:  # what lets tensors share their memory here lets them in the child
        import_module(name)
    kind, state = parts
    made = kind.__new__(kind)
    made.__dict__.update(state)
    return made


def _check_found(child: process.BaseProcess) -> None:
    """OperationError where another process could not import what `child` runs, or would start processes instead."""
    if getattr(process.current_process(), "_inheriting", False):
        raise OperationError(f"multiprocessing: this program starts processes while it is imported by one; {GUARD}")
    main, target = sys.modules["__main__"], getattr(child, "_target", None)
    parts = [target, type(child)]
    for one in getattr(child, "_args", ()):
        parts += one if isinstance(one, tuple) else [one]
    typed = [one for one in parts if getattr(one, "__module__", None) == "__main__"]
    if typed and getattr(main, "__spec__", None) is None and not os.path.isfile(getattr(main, "__file__", "")):
        name = getattr(typed[0], "__name__", type(typed[0]).__name__)
        raise OperationError(
            f"multiprocessing: {name!r} was typed into a notebook or an interpreter, where another process cannot find "
            "it; write it into a file and import that, or use the start method 'fork'"
        )


class Process(_Sent, multiprocessing.Process):
    """A process, begun by the start method that is set."""


class ForkProcess(_Sent, context.ForkProcess):
    """A process that is a fork of this one."""


class SpawnProcess(_Sent, context.SpawnProcess):
    """A process that is a new interpreter."""


class ForkServerProcess(_Sent, context.ForkServerProcess):
    """A process that is a fork of a server."""


class _Context(context.BaseContext):
    """What our contexts have in common."""

    def Pipe(self, duplex: bool = True) -> tuple[Connection, Connection]:  # type: ignore[override]
        """Two connected ends; without `duplex`, the first reads and the second writes."""
        first, second = connection.Pipe(duplex)
        return Connection.instead_of(first), Connection.instead_of(second)

    def Queue(self, maxsize: int = 0) -> Queue:
        """A queue of at most `maxsize` objects; of any number for 0."""
        return Queue(maxsize, ctx=self.get_context())

    def JoinableQueue(self, maxsize: int = 0) -> JoinableQueue:
        """A queue with `task_done` and `join`."""
        return JoinableQueue(maxsize, ctx=self.get_context())

    def SimpleQueue(self) -> SimpleQueue:
        """A queue without a thread of its own."""
        return SimpleQueue(ctx=self.get_context())


class ForkContext(_Context, context.ForkContext):
    """Processes are forks."""

    Process = ForkProcess  # type: ignore[assignment]


class SpawnContext(_Context, context.SpawnContext):
    """Processes are new interpreters."""

    Process = SpawnProcess  # type: ignore[assignment]


class ForkServerContext(_Context, context.ForkServerContext):
    """Processes are forks of a server."""

    Process = ForkServerProcess  # type: ignore[assignment]


CONTEXTS: dict[str, _Context] = {
    "fork": ForkContext(),
    "spawn": SpawnContext(),
    "forkserver": ForkServerContext(),
}


class DefaultContext(_Context):
    """The context of the start method that `multiprocessing` has: there is one for both."""

    Process = Process  # type: ignore[assignment]

    def get_context(self, method: str | None = None) -> Any:
        """The context of a start method; by default of the one that is set, or Python's own.

        Raises:
            ValueError: there is no such method.
        """
        name = multiprocessing.get_start_method() if method is None else method
        if name not in CONTEXTS:
            raise InvalidValueError(f"get_context: expected one of {', '.join(CONTEXTS)}; got {method!r}")
        return CONTEXTS[name]

    def get_start_method(self, allow_none: bool = False) -> str:
        """The name of the start method. With `allow_none`, None where none was set."""
        return multiprocessing.get_start_method(allow_none)  # type: ignore[return-value]

    def set_start_method(self, method: str | None, force: bool = False) -> None:
        """Set the start method of `multiprocessing`, once, or again with `force`."""
        multiprocessing.set_start_method(method, force)

    def get_all_start_methods(self) -> list[str]:
        """The start methods of this system, the default first."""
        return multiprocessing.get_all_start_methods()
