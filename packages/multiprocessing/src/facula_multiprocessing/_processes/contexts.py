"""Contexts of `multiprocessing` with queues, pipes, pools and processes that send arrays through shared memory."""

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
    """A process that receives its arguments through shared memory, unless it is forked."""

    def start(self) -> None:
        """Start the process.

        Raises:
            OperationError: the process would fail, because it could not import its target.
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
        """Wait until the process has ended, at most `timeout` seconds."""
        super().join(timeout)
        settle_children()

    @property
    def exitcode(self) -> int | None:
        """The exit status of the process, negative for a signal; None while it runs."""
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
    for name in modules:  # import in the child the modules that let tensors share their memory
        import_module(name)
    kind, state = parts
    made = kind.__new__(kind)
    made.__dict__.update(state)
    return made


class Process(_Sent, multiprocessing.Process):
    """A process with the current start method."""


class ForkProcess(_Sent, context.ForkProcess):
    """A process that is forked from this one."""


class SpawnProcess(_Sent, context.SpawnProcess):
    """A process that is a new interpreter."""


class ForkServerProcess(_Sent, context.ForkServerProcess):
    """A process that is forked from a server."""


class _Context(context.BaseContext):
    """The common part of all contexts."""

    def Pipe(self, duplex: bool = True) -> tuple[Connection, Connection]:  # type: ignore[override]
        """Return two connected ends; without `duplex`, the first is for reading and the second for writing."""
        first, second = connection.Pipe(duplex)
        return Connection.instead_of(first), Connection.instead_of(second)

    def Queue(self, maxsize: int = 0) -> Queue:
        """Return a queue of at most `maxsize` objects; 0 means unlimited."""
        return Queue(maxsize, ctx=self.get_context())

    def JoinableQueue(self, maxsize: int = 0) -> JoinableQueue:
        """Return a queue with `task_done` and `join`."""
        return JoinableQueue(maxsize, ctx=self.get_context())

    def SimpleQueue(self) -> SimpleQueue:
        """Return a queue without a feeder thread."""
        return SimpleQueue(ctx=self.get_context())

    def Pool(
        self,
        processes: int | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
        maxtasksperchild: int | None = None,
    ) -> Pool:
        """Return a pool of processes, by default one per CPU.

        Arguments:
            processes: the number of processes.
            initializer: called in each process first, as `initializer(*initargs)`.
            initargs: the arguments of `initializer`.
            maxtasksperchild: the number of tasks after which a process is replaced; by default processes are not
                replaced.
        """
        return Pool(processes, initializer, initargs, maxtasksperchild, self.get_context())


class ForkContext(_Context, context.ForkContext):
    """The context whose processes are forks."""

    Process = ForkProcess  # type: ignore[assignment]


class SpawnContext(_Context, context.SpawnContext):
    """The context whose processes are new interpreters."""

    Process = SpawnProcess  # type: ignore[assignment]


class ForkServerContext(_Context, context.ForkServerContext):
    """The context whose processes are forks of a server."""

    Process = ForkServerProcess  # type: ignore[assignment]


CONTEXTS: dict[str, _Context] = {
    "fork": ForkContext(),
    "spawn": SpawnContext(),
    "forkserver": ForkServerContext(),
}


class DefaultContext(_Context):
    """The context of the current start method, which is shared with `multiprocessing`."""

    Process = Process  # type: ignore[assignment]

    def get_context(self, method: str | None = None) -> Any:
        """Return the context of a start method, by default of the current or of Python's default method.

        Raises:
            ValueError: the method is unknown.
        """
        name = multiprocessing.get_start_method() if method is None else method
        if name not in CONTEXTS:
            raise InvalidValueError(f"get_context: expected one of {', '.join(CONTEXTS)}; got {method!r}")
        return CONTEXTS[name]

    def get_start_method(self, allow_none: bool = False) -> str:
        """Return the name of the start method. With `allow_none`, return None if none was set."""
        return multiprocessing.get_start_method(allow_none)  # type: ignore[return-value]

    def set_start_method(self, method: str | None, force: bool = False) -> None:
        """Set the start method of `multiprocessing`, only once unless `force` is true.

        Raises:
            OperationError: the method is already set, for example in a process that imports the main program.
        """
        try:
            multiprocessing.set_start_method(method, force)
        except RuntimeError:
            if is_imported_by_child():
                raise OperationError(
                    f"set_start_method: this program sets the start method while a process imports it; {GUARD}"
                ) from None
            raise OperationError(
                f"set_start_method: it is {multiprocessing.get_start_method()!r} already, because it was set or used; "
                "set it once, before anything else, or pass force=True"
            ) from None

    def get_all_start_methods(self) -> list[str]:
        """The start methods of this system, the default first."""
        return multiprocessing.get_all_start_methods()
