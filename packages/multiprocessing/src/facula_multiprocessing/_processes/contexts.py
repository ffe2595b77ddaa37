"""Contexts of `multiprocessing`, whose queues, pipes, pools and processes send arrays through shared memory."""

from __future__ import annotations

import multiprocessing
from importlib import import_module
from multiprocessing import connection, context, process
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError, OperationError

from .._transfer.kept_files import kept_files
from .._transfer.reductions import Message
from .._transfer.sharing import settle_children
from .fork_server import imported, preload_fork_server
from .guard import GUARD, check_guarded, is_imported_by_child
from .pools import Pool
from .queues import Connection, JoinableQueue, Queue, SimpleQueue

if TYPE_CHECKING:
    pass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class _Sent(process.BaseProcess):
    """A process whose arguments go to it through shared memory, where it is not forked."""

    def start(self) -> None:
        """Start the process.

        Raises:
            OperationError: it would fail, as it could not import what it is to run.
        """
        method = getattr(self, "_start_method", None) or multiprocessing.get_start_method()
        if method != "fork":
            check_guarded()
        if method == "forkserver":
            preload_fork_server()
        kept_files().add(self)
        try:
            super().start()
        except BaseException:
            kept_files().drop(self)
            raise
        settle_children()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the process has ended, or for `timeout` seconds."""
        super().join(timeout)
        settle_children()

    @property
    def exitcode(self) -> int | None:
        """The status with which the process ended, negative for a signal; None while it runs."""
        code = super().exitcode
        if code is not None:
            settle_children()
        return code

    def __reduce__(self) -> tuple[object, ...]:
        context.assert_spawning(self)
        return _started, (Message((type(self), self.__getstate__()), imported=True), imported("facula.multiprocessing"))


def _started(
    parts: tuple[type[process.BaseProcess], dict[str, object]], modules: tuple[str, ...]
) -> process.BaseProcess:
    for name in modules:  # what lets tensors share their memory here lets them in the child
        import_module(name)
    kind, state = parts
    made = kind.__new__(kind)
    made.__dict__.update(state)
    return made


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

    def Pool(
        self,
        processes: int | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        maxtasksperchild: int | None = None,
    ) -> Pool:
        """A pool of processes, as many as this machine has cores by default.

        Arguments:
            processes: how many.
            initializer: what each of them calls first, as `initializer(*initargs)`.
            initargs: its arguments.
            maxtasksperchild: tasks after which a process is replaced; by default none is.
        """
        return Pool(processes, initializer, initargs, maxtasksperchild, self.get_context())


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
        """Set the start method of `multiprocessing`, once, or again with `force`.

        Raises:
            OperationError: it is set already, for one in a process that imports the program's file.
        """
        try:
            multiprocessing.set_start_method(method, force)
        except RuntimeError:
            if is_imported_by_child():
                raise OperationError(
                    f"set_start_method: this program sets the start method while a process imports it; {GUARD}"
                ) from None
            raise OperationError(
                f"set_start_method: it is {multiprocessing.get_start_method()!r} already, as it was set or used; "
                "set it once, before anything else, or pass force=True"
            ) from None

    def get_all_start_methods(self) -> list[str]:
        """The start methods of this system, the default first."""
        return multiprocessing.get_all_start_methods()
