"""facula.multiprocessing: the standard library's, whose names these are, and `spawn`.

Tensors that go through queues and pipes are copied: memory that processes share is not there yet.
"""

from __future__ import annotations

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

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .._names import publish
from .spawn import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)

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


publish(__name__, later=("pool", "queue"))
