"""Run functions on several ranks, for tests: forked processes in one group, which are killed at a limit.

`run` sends functions to ranks that it starts once for each number of ranks, so a test costs no start. After an error
they are started again. `start`, and options of `init_process_group`, start new ranks. `Program` starts a program under
the launcher.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from datetime import timedelta
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, cast

import facula_distributed as dist
from facula_distributed._groups import groups
from facula_distributed._warm import Program
from facula_errors import FaculaError
from facula_errors.extend import published as _published

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["LIMIT", "TIMEOUT", "Failed", "Program", "errors", "finish", "run", "start"]

TIMEOUT = timedelta(seconds=60)
"""How long operations of ranks wait for each other, unless a test says otherwise."""
LIMIT = 120.0
"""Seconds after which ranks print their stacks and are killed."""
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_ERROR_SECONDS = 2.0  # for other ranks to answer after one has raised


class Failed(FaculaError, AssertionError):
    """A rank raised, was killed, or did not answer; the message contains the traceback of each."""


def _child(
    function: Callable[..., Any], rank: int, size: int, address: str, arguments: Any, pipe: Any, options: Any
) -> None:
    os.setsid()
    machines = options.pop("machines", 1)
    if machines > 1:
        os.environ |= {"FACULA_NNODES": str(machines), "GROUP_RANK": str(rank * machines // size)}
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    groups.default_pg_timeout = TIMEOUT
    try:
        given = {"backend": "gloo", **options}
        dist.init_process_group(init_method=address, rank=rank, world_size=size, **given)
        found = function(rank, *arguments)
        if dist.is_initialized():
            dist.destroy_process_group()
        pipe.send(("result", found))
    except BaseException as error:
        text = traceback.format_exc()
        pipe.send(("error", f"{type(error).__name__}: {error}", text))
    finally:
        pipe.close()
        sys.stdout.flush()
        os._exit(0)


def start(
    size: int, function: Callable[..., Any], *arguments: Any, address: str | None = None, **options: Any
) -> list[tuple[Any, Any]]:
    """Start a function on each rank, in a group; return the process and the pipe of each, for `finish`.

    Arguments:
        size: the number of ranks.
        function: called as `function(rank, *arguments)`.
        arguments: the other arguments.
        address: the address of `init_process_group`; a new file if None.
        options: more arguments of `init_process_group`, and `machines`: the number of machines on which the ranks
            pretend to be.
    """
    context: Any = get_context("fork")
    if address is None:
        address = f"file://{tempfile.mkdtemp(prefix='facula-test-')}/group"
    started = []
    for rank in range(size):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(
            target=_child, args=(function, rank, size, address, arguments, theirs, options), daemon=True
        )
        process.start()
        theirs.close()
        process.address = address
        started.append((process, ours))
    return started


def finish(started: Sequence[tuple[Any, Any]], limit: float = LIMIT) -> list[Any]:
    """Return what each rank sent: ("result", value), ("error", message, traceback), or None if it was killed.

    Arguments:
        started: the result of `start`.
        limit: seconds after which ranks are killed, and AssertionError is raised.
    """
    return _finish(started, limit)


def _finish(started: Sequence[tuple[Any, Any]], limit: float, rest: float | None = None) -> list[Any]:
    """Do what `finish` does; `rest` is that of `_answers`."""
    end = time.monotonic() + limit
    found, pending = _answers(started, [pipe for _, pipe in started], limit, rest)
    for process, _ in started:
        process.join(max(0.1, min(30.0, end - time.monotonic())))
        if process.exitcode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.join()
    folder = os.path.dirname(started[0][0].address.removeprefix("file://"))
    if "facula-test-" in folder:
        shutil.rmtree(folder)
    if pending:
        raise Failed("\n".join([f"ranks {pending} hang", *[one[2] for one in found if one and one[0] == "error"]]))
    return found


def _answers(
    started: Sequence[tuple[Any, Any]], pipes: Sequence[Any], limit: float, rest: float | None = None
) -> tuple[list[Any], list[int]]:
    """Return what each rank sends, None for one that ends, and the ranks that do not answer in `limit` seconds.

    Others have `rest` seconds after the first error, if it is not None. Those that do not answer are aborted, and print
    their stacks under pytest, which enables `faulthandler`.
    """
    end = time.monotonic() + limit
    found: list[Any] = [None] * len(pipes)
    pending: dict[Any, int] = {pipe: rank for rank, pipe in enumerate(pipes)}
    while pending and (left := end - time.monotonic()) > 0:
        for pipe in wait(list(pending), left):
            rank = pending.pop(pipe)
            with suppress(EOFError):
                found[rank] = cast(Connection, pipe).recv()
            if rest is not None and (found[rank] is None or found[rank][0] == "error"):
                end = min(end, time.monotonic() + rest)
    for rank in pending.values():
        os.kill(started[rank][0].pid, signal.SIGABRT)
    return found, sorted(pending.values())


def _serve(rank: int, calls: Sequence[Any]) -> None:
    """Run functions that the test sends, and send their results."""
    while (call := calls[rank].recv()) is not None:
        function, arguments = call
        sent: tuple[Any, ...]
        try:
            sent = ("result", function(rank, *arguments))
        except BaseException as error:
            sent = ("error", f"{type(error).__name__}: {error}", traceback.format_exc())
        calls[rank].send(sent)


class _Pool:
    """Ranks that run functions."""

    def __init__(self, size: int, options: Any) -> None:
        context: Any = get_context("fork")
        ours, theirs = zip(*(context.Pipe() for _ in range(size)), strict=True)
        self.pipes, self.started = ours, start(size, _serve, theirs, **options)

    def call(self, function: Callable[..., Any], arguments: Any, limit: float) -> list[Any]:
        for pipe in self.pipes:
            pipe.send((function, arguments))
        found, _ = _answers(self.started, self.pipes, limit, _ERROR_SECONDS)
        return [one or ("error", "no answer", "no answer") for one in found]

    def kill(self) -> None:
        for process, _ in self.started:
            os.killpg(process.pid, signal.SIGKILL)
        finish(self.started)

    def end(self) -> None:
        for pipe in self.pipes:
            pipe.send(None)
        finish(self.started)


_pools: dict[tuple[object, ...], _Pool] = {}


@atexit.register
def _end_pools() -> None:
    while _pools:
        _pools.popitem()[1].end()


def run(size: int, function: Callable[..., Any], *arguments: Any, limit: float = LIMIT, **options: Any) -> list[Any]:
    """Return the results of a function on each rank; raise `Failed` if one raised.

    Arguments:
        size: the number of ranks.
        function: a function of a module, called as `function(rank, *arguments)`.
        arguments: the other arguments.
        limit: seconds after which ranks are killed.
        options: those of `start`; except `backend` and `machines`, they start ranks for this call alone.
    """
    if options.keys() - {"backend", "machines"}:
        found = _finish(start(size, function, *arguments, **options), limit, _ERROR_SECONDS)
    else:
        key = size, *sorted(options.items())
        pool = _pools.pop(key, None) or _Pool(size, options)
        found = pool.call(function, arguments, limit)
        if any(one[0] == "error" for one in found):
            pool.kill()
        else:
            _pools[key] = pool
    failed = [f"rank {rank}: {one and one[2]}" for rank, one in enumerate(found) if one is None or one[0] == "error"]
    if failed:
        raise Failed("\n".join(failed))
    return [one[1] for one in found]


def errors(
    size: int, function: Callable[..., Any], *arguments: Any, limit: float = LIMIT, **options: Any
) -> list[str | None]:
    """Return the messages of the errors of each rank; None where there was none.

    Arguments:
        size: the number of ranks.
        function: called as `function(rank, *arguments)`.
        arguments: the other arguments.
        limit: seconds after which ranks are killed.
        options: more arguments of `init_process_group`.
    """
    found = finish(start(size, function, *arguments, **options), limit)
    return [one and (one[1] if one[0] == "error" else None) for one in found]


__dir__ = _published(__name__)
