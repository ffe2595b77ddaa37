"""facula.multiprocessing: the standard library's, whose names these are, and `spawn`.

Tensors that go through queues and pipes are copied: memory that processes share is not there yet.
"""

from __future__ import annotations

import multiprocessing as _standard
from multiprocessing import (
    Array,
    AuthenticationError,
    Barrier,
    BoundedSemaphore,
    BufferTooShort,
    Condition,
    Event,
    JoinableQueue,
    Lock,
    Manager,
    Pipe,
    Pool,
    Process,
    ProcessError,
    Queue,
    RLock,
    Semaphore,
    SimpleQueue,
    TimeoutError,
    Value,
    active_children,
    cpu_count,
    current_process,
    freeze_support,
    get_all_start_methods,
    get_context,
    get_logger,
    get_start_method,
    log_to_stderr,
    parent_process,
    set_start_method,
)
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidValueError
from facula_errors.extend import boundary

from ._names import publish

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Array", "AuthenticationError", "Barrier", "BoundedSemaphore", "BufferTooShort", "Condition", "Event",
    "JoinableQueue", "Lock", "Manager", "Pipe", "Pool", "Process", "ProcessContext", "ProcessError", "ProcessException",
    "ProcessExitedException", "ProcessRaisedException", "Queue", "RLock", "Semaphore", "SimpleQueue", "SpawnContext",
    "TimeoutError", "Value", "active_children", "cpu_count", "current_process", "freeze_support",
    "get_all_sharing_strategies", "get_all_start_methods", "get_context", "get_logger", "get_sharing_strategy",
    "get_start_method", "log_to_stderr", "parent_process", "set_sharing_strategy", "set_start_method", "spawn",
    "start_processes",
]  # fmt: skip

_STRATEGIES = ("file_descriptor", "file_system")
_strategy = ["file_descriptor"]


def get_all_sharing_strategies() -> set[str]:
    """The names that `set_sharing_strategy` takes."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """What `set_sharing_strategy` set."""
    return _strategy[0]


@boundary
def set_sharing_strategy(new_strategy: str) -> None:
    """Set how processes share tensors: kept; they get copies. ValueError for a name that is not known.

    >>> set_sharing_strategy("file_system")
    >>> get_sharing_strategy()
    'file_system'
    >>> set_sharing_strategy("file_descriptor")
    """
    if new_strategy not in _STRATEGIES:
        raise InvalidValueError(f"set_sharing_strategy: expected one of {', '.join(_STRATEGIES)}; got {new_strategy!r}")
    _strategy[0] = new_strategy


class ProcessException(FaculaError):
    """A process of `spawn` failed: number `error_index`, with process id `error_pid`."""

    def __init__(self, msg: str, error_index: int, error_pid: int | None) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process of `spawn` ended with an exception, whose traceback the message has."""


class ProcessExitedException(ProcessException):
    """A process of `spawn` ended early, with status `exit_code`."""

    def __init__(self, msg: str, error_index: int, error_pid: int | None, exit_code: int | None = None) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code)


def _run(function: Callable[..., Any], index: int, args: tuple[Any, ...], errors: Any) -> None:
    """What a process of `spawn` does."""
    try:
        function(index, *args)
    except KeyboardInterrupt:
        pass  # the parent has it too
    except Exception:
        import sys
        import traceback

        errors.put(traceback.format_exc())
        sys.exit(1)


@boundary
class ProcessContext:
    """The processes that `start_processes` started: `processes`, and `join` to wait for them."""

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes, self._errors = processes, errors
        self._waiting = dict(enumerate(processes))

    def pids(self) -> list[int | None]:
        """The ids of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends, `timeout` seconds at most. True where all have ended well.

        The failure of one ends the others. ProcessRaisedException where it raised, ProcessExitedException where it
        ended otherwise.
        """
        from multiprocessing.connection import wait

        ended = wait([process.sentinel for process in self._waiting.values()], timeout)
        failed = None
        for index, process in list(self._waiting.items()):
            if process.sentinel in ended:
                process.join()
                del self._waiting[index]
                failed = index if failed is None and process.exitcode else failed
        if failed is None:
            return not self._waiting
        for process in self._waiting.values():
            process.terminate()
        for process in self._waiting.values():
            process.join(grace_period)
            if process.is_alive():
                process.kill()
                process.join()
        self._waiting.clear()
        broken, errors = self.processes[failed], self._errors[failed]
        if not errors.empty():
            text = f"spawn: process {failed} ended with an exception:\n\n{errors.get()}"
            raise ProcessRaisedException(text, failed, broken.pid)
        code = broken.exitcode
        raise ProcessExitedException(f"spawn: process {failed} ended with status {code}", failed, broken.pid, code)


SpawnContext = ProcessContext


@boundary
def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run `fn(i, *args)` in processes i = 0 ... nprocs - 1, and wait for them; without `join`, a ProcessContext.

    The failure of one ends the others, and is raised: ProcessRaisedException, ProcessExitedException.
    """
    context: Any = _standard.get_context(start_method)
    processes, errors = [], []
    for index in range(nprocs):
        failure = context.SimpleQueue()
        process = context.Process(target=_run, args=(fn, index, args, failure), daemon=daemon)
        process.start()
        processes.append(process)
        errors.append(failure)
    started = ProcessContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


@boundary
def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`start_processes`, each of them a fresh Python."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


publish(__name__)
