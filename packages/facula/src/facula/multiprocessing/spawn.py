"""Several processes of one function, and the exceptions of failed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._lookup.names import publish
from .._lookup.siblings import needs

with needs("facula.multiprocessing"):
    from facula_multiprocessing import (
        ProcessContext,
        ProcessException,
        ProcessExitedException,
        ProcessRaisedException,
        start_processes,
    )

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "SpawnContext", "spawn",
    "start_processes",
]  # fmt: skip

SpawnContext = ProcessContext


@boundary
def spawn(
    fn: Callable[..., object],
    args: tuple[object, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run a function in several processes, each of them a new Python interpreter.

    Arguments:
        fn: called as `fn(i, *args)` in process i, from 0 to nprocs - 1.
        args: its other arguments; tensors among them share their memory with this process.
        nprocs: the number of processes.
        join: wait for the processes.
        daemon: terminate the processes if this one ends before them.
        start_method: "spawn", "fork" or "forkserver".

    Returns:
        None, or without `join` a ProcessContext.

    Raises:
        ProcessRaisedException: a process ended with an exception.
        ProcessExitedException: a process ended early.
    """
    return start_processes(fn, args, nprocs, join, daemon, start_method)


publish(__name__)
