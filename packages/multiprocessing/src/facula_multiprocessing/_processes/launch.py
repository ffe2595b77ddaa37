"""Groups of processes that run one function: they end together, and also when their parent is killed."""

from __future__ import annotations

import signal
import sys
import time
import traceback
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .contexts import Connection, DefaultContext
from .guard import GUARD
from .supervision import end_with, keep_from_children, no_longer_kept

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_TRACEBACK = 32 << 10  # maximum number of characters of a traceback, so that it fits into the pipe
_GRACE_PERIOD = 30.0  # seconds between terminating a process and killing it
_BEGUN = b"begun"


class ProcessException(FaculaError):
    """A process of `spawn` failed.

    Arguments:
        msg: the error's message.
        error_index: the number of the process.
        error_pid: its process ID.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int | None) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process of `spawn` ended with an exception; the message contains its traceback."""


class ProcessExitedException(ProcessException):
    """A process of `spawn` ended early.

    Arguments:
        msg: the error's message.
        error_index: the number of the process.
        error_pid: its process ID.
        exit_code: its exit status; negative for a signal.
        signal_name: the signal that ended it, or None.
    """

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int | None,
        exit_code: int | None = None,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _run(
    function: Callable[..., object], index: int, args: tuple[object, ...], report: Connection, life: Connection
) -> None:
    """Run the function in a process of `spawn` and report an exception."""
    end_with(life)
    report.send_bytes(_BEGUN)
    try:
        function(index, *args)
    except KeyboardInterrupt:
        pass  # the parent receives it too
    except Exception:
        text = traceback.format_exc()
        if len(text) > _MAX_TRACEBACK:
            text = f"{text[: _MAX_TRACEBACK // 2]}\n...\n{text[-_MAX_TRACEBACK // 2 :]}"
        report.send_bytes(text.encode(errors="replace"))
        sys.exit(1)


class _Child:
    """One process, the pipe with its error report, and the pipe that ends it by being closed."""

    def __init__(self, process: BaseProcess, report: Connection, life: Connection) -> None:
        self.process, self._report, self._life = process, report, life

    def said(self) -> tuple[bool, str]:
        """Return whether the process began to run the function, and the traceback of its failure, once."""
        found = []
        with suppress(EOFError, OSError):
            while self._report.poll():
                found.append(self._report.recv_bytes())
        return _BEGUN in found, b"".join(chunk for chunk in found if chunk != _BEGUN).decode(errors="replace")

    def close(self) -> None:
        """Close the descriptors of a process that has ended."""
        no_longer_kept(self._life)
        self._life.close()
        self._report.close()


@boundary
class ProcessContext:
    """The processes that `start_processes` started: `processes`, and `join` to wait for them."""

    processes: list[BaseProcess]

    def __init__(self, processes: list[_Child]) -> None:
        self.processes = [process.process for process in processes]
        self._waiting = dict(enumerate(processes))

    def pids(self) -> list[int | None]:
        """Return the IDs of the processes."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until all processes have ended, at most `timeout` seconds. The failure of one ends the others.

        Arguments:
            timeout: the limit in seconds; by default, wait until one more process has ended.
            grace_period: seconds for the other processes to end by themselves before they are killed; 30 by default.

        Returns:
            True if all processes have ended successfully; False if some are running.

        Raises:
            ProcessRaisedException: a process ended with an exception.
            ProcessExitedException: a process ended otherwise.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if end is None else max(0.0, end - time.monotonic())
            if self._waiting:
                ended = wait([child.process.sentinel for child in self._waiting.values()], left)
                for child in self._waiting.values():
                    if child.process.sentinel in ended:  # its exit code may arrive later
                        child.process.join(None if end is None else max(0.0, end - time.monotonic()))
            failed = self._remove_ended()
            if failed is not None:
                error = self._error(failed, self._waiting[failed])
                self.stop(grace_period)
                raise error
            if not self._waiting or end is None or time.monotonic() >= end:
                return not self._waiting

    def _remove_ended(self) -> int | None:
        """Remove the processes that ended successfully; return the number of the first that failed, or None."""
        failed = None
        for index, child in list(self._waiting.items()):
            if child.process.exitcode is None:
                continue
            child.process.join()  # multiprocessing keeps a process and its descriptors until it is joined
            if not child.process.exitcode:
                del self._waiting[index]
                child.close()
            elif failed is None:
                failed = index
        return failed

    def stop(self, grace_period: float | None = None) -> None:
        """Stop all running processes.

        Arguments:
            grace_period: seconds for them to end by themselves before they are killed; 30 by default.
        """
        for child in self._waiting.values():
            child.process.terminate()
        end = time.monotonic() + (_GRACE_PERIOD if grace_period is None else grace_period)
        for child in self._waiting.values():
            child.process.join(max(0.0, end - time.monotonic()))
            if child.process.exitcode is None:
                child.process.kill()
                child.process.join()
            child.close()
        self._waiting.clear()

    def _error(self, index: int, child: _Child) -> ProcessException:
        pid, code = child.process.pid, child.process.exitcode
        begun, text = child.said()
        if text:
            return ProcessRaisedException(f"spawn: process {index} ended with an exception:\n\n{text}", index, pid)
        name = None
        said, remedy = f"spawn: process {index} ended with status {code}", "see its output"
        if code is not None and code < 0:
            with suppress(ValueError):
                name = signal.Signals(-code).name
            said = f"spawn: process {index} was ended by {name or f'signal {-code}'}"
            if name == "SIGKILL":
                remedy = "if this was not intended, the kernel may have killed it for lack of memory"
        elif not begun:
            said, remedy = f"{said} before it ran the function, which it said why above", GUARD
        return ProcessExitedException(f"{said}; {remedy}", index, pid, code, name)


@boundary
def start_processes(
    fn: Callable[..., object],
    args: tuple[object, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str | None = None,
) -> ProcessContext | None:
    """Run a function in several processes. The failure of one ends the others; the end of this process ends all.

    Arguments:
        fn: called as `fn(i, *args)` in process i, from 0 to nprocs - 1.
        args: its other arguments, a tuple or a list.
        nprocs: the number of processes.
        join: whether to wait for the processes.
        daemon: whether the processes end when this one ends before them.
        start_method: "fork", "spawn" or "forkserver"; by default the current method, or Python's default.

    Returns:
        None, or without `join` a ProcessContext.

    Raises:
        ProcessRaisedException: a process ended with an exception.
        ProcessExitedException: a process ended early.
    """
    if not callable(fn):
        raise InvalidTypeError(f"spawn: expected fn to be a function; got {type(fn).__name__}")
    if isinstance(nprocs, bool) or not isinstance(nprocs, int) or nprocs < 1:
        raise InvalidValueError(f"spawn: expected nprocs to be an integer of at least 1; got {nprocs!r}")
    if not isinstance(args, (tuple, list)):
        raise InvalidTypeError(f"spawn: expected args to be a tuple, as in (x,); got {type(args).__name__}")
    args = tuple(args)
    context = DefaultContext().get_context(start_method)
    started: list[_Child] = []
    try:
        for index in range(nprocs):
            started.append(_start(context, fn, index, args, daemon))
    except BaseException:
        ProcessContext(started).stop(0.0)
        raise
    found = ProcessContext(started)
    if not join:
        return found
    try:
        while not found.join():
            pass
    except BaseException:
        found.stop()
        raise
    return None


def _start(context: Any, fn: Callable[..., object], index: int, args: tuple[object, ...], daemon: bool) -> _Child:
    report, theirs = context.Pipe(duplex=False)
    watched, life = context.Pipe(duplex=False)
    keep_from_children(life)
    process = context.Process(target=_run, args=(fn, index, args, theirs, watched), daemon=daemon)
    child = _Child(process, report, life)
    try:
        process.start()
    except BaseException:
        child.close()
        raise
    finally:
        theirs.close()
        watched.close()
    return child


@boundary
def spawn(
    fn: Callable[..., object],
    args: tuple[object, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str | None = None,
) -> ProcessContext | None:
    """Run a function in several processes. The arguments are those of `start_processes`."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)
