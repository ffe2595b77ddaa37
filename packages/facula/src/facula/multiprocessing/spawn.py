"""Processes of one function, and what is raised where one of them fails."""

from __future__ import annotations

import sys
import traceback
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import boundary

from .._names import publish

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import SpawnContext as StartMethod
    from multiprocessing.process import BaseProcess
    from multiprocessing.queues import SimpleQueue

__all__ = [
    "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "SpawnContext", "spawn",
    "start_processes",
]  # fmt: skip


class ProcessException(FaculaError):
    """A process of `spawn` failed.

    Arguments:
        msg: the error's message.
        error_index: the number of the process.
        error_pid: its process id.
    """

    msg: str
    error_index: int
    error_pid: int | None

    def __init__(self, msg: str, error_index: int, error_pid: int | None) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process of `spawn` ended with an exception, whose traceback the message has."""


class ProcessExitedException(ProcessException):
    """A process of `spawn` ended early.

    Arguments:
        msg: the error's message.
        error_index: the number of the process.
        error_pid: its process id.
        exit_code: the status with which it ended.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int | None, exit_code: int | None = None) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code)


def _run(function: Callable[..., object], index: int, args: tuple[object, ...], errors: SimpleQueue[str]) -> None:
    """What a process of `spawn` does."""
    try:
        function(index, *args)
    except KeyboardInterrupt:
        pass  # the parent has it too
    except Exception:
        errors.put(traceback.format_exc())
        sys.exit(1)


@boundary
class ProcessContext:
    """The processes that `start_processes` started: `processes`, and `join` to wait for them."""

    processes: list[BaseProcess]

    def __init__(self, processes: list[BaseProcess], errors: list[SimpleQueue[str]]) -> None:
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
    fn: Callable[..., object],
    args: tuple[object, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run a function in several processes. The failure of one ends the others.

    Arguments:
        fn: called as `fn(i, *args)` in process i, from 0 to nprocs - 1.
        args: its other arguments.
        nprocs: the number of processes.
        join: wait for the processes.
        daemon: let the processes end with this one.
        start_method: how the `multiprocessing` of Python starts them: "spawn", "fork" or "forkserver".

    Returns:
        None, or without `join` a ProcessContext.

    Raises:
        ProcessRaisedException: a process ended with an exception.
        ProcessExitedException: a process ended early.
    """
    context: StartMethod = get_context(start_method)  # type: ignore[assignment]  # of whichever kind
    processes: list[BaseProcess] = []
    errors: list[SimpleQueue[str]] = []
    for index in range(nprocs):
        failure: SimpleQueue[str] = context.SimpleQueue()
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
    fn: Callable[..., object],
    args: tuple[object, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run a function in several processes, each of them a fresh Python. Arguments: those of `start_processes`."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


publish(__name__)
