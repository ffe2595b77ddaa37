"""facula_multiprocessing: the standard library's multiprocessing, with arrays in shared memory.

The package provides multiprocessing's names, queues and pipes that send arrays without a copy, processes that end
together, and shared memory that cannot leak. It imports NumPy and facula_errors; `extend.py` is for sibling packages.
Its subpackages, each of which imports only earlier ones: `_arenas` (the memory, and the holders of its blocks),
`_transfer` (blocks and messages between processes), `_processes` (contexts, queues, launched functions). Start at
Note [Memory without a name] in `_arenas/memory.py`, then Note [Tickets] in `_arenas/ledger.py`.
"""

import typing as _typing
from collections.abc import Callable as _Callable
from multiprocessing import (
    AuthenticationError,
    BufferTooShort,
    ProcessError,
    TimeoutError,
    active_children,
    cpu_count,
    current_process,
    parent_process,
)

from facula_errors import InvalidValueError as _InvalidValueError
from facula_errors.extend import boundary as _boundary
from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from ._errors import SharedMemoryError
from ._processes.contexts import DefaultContext as _DefaultContext
from ._processes.contexts import Process
from ._processes.launch import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    spawn,
    start_processes,
)
from ._processes.queues import Connection as _Connection
from ._processes.queues import JoinableQueue as _JoinableQueue
from ._processes.queues import Queue as _Queue
from ._processes.queues import SimpleQueue as _SimpleQueue
from ._transfer.reductions import shared_empty

__version__ = "0.1.0"

_register("facula_multiprocessing")

_default = _DefaultContext()

if _typing.TYPE_CHECKING:  # type checkers understand these better than methods of a context
    from multiprocessing import (
        Array,
        Barrier,
        BoundedSemaphore,
        Condition,
        Event,
        Lock,
        Manager,
        Pool,
        RawArray,
        RawValue,
        RLock,
        Semaphore,
        Value,
        allow_connection_pickling,
        freeze_support,
        get_all_start_methods,
        get_logger,
        get_start_method,
        log_to_stderr,
        set_executable,
        set_forkserver_preload,
        set_start_method,
    )
else:
    Array = _default.Array
    Barrier = _default.Barrier
    BoundedSemaphore = _default.BoundedSemaphore
    Condition = _default.Condition
    Event = _default.Event
    Lock = _default.Lock
    Manager = _default.Manager
    RawArray = _default.RawArray
    RawValue = _default.RawValue
    Pool = _default.Pool
    RLock = _default.RLock
    Semaphore = _default.Semaphore
    Value = _default.Value
    allow_connection_pickling = _default.allow_connection_pickling
    freeze_support = _default.freeze_support
    get_all_start_methods = _default.get_all_start_methods
    get_logger = _default.get_logger
    get_start_method = _default.get_start_method
    log_to_stderr = _default.log_to_stderr
    set_executable = _default.set_executable
    set_forkserver_preload = _default.set_forkserver_preload
    set_start_method = _default.set_start_method
JoinableQueue: _Callable[..., _JoinableQueue] = _default.JoinableQueue
Pipe: _Callable[..., tuple[_Connection, _Connection]] = _default.Pipe

Queue: _Callable[..., _Queue] = _default.Queue
SimpleQueue: _Callable[..., _SimpleQueue] = _default.SimpleQueue
get_context: _Callable[..., _typing.Any] = _default.get_context

__all__ = [
    "Array", "AuthenticationError", "Barrier", "BoundedSemaphore", "BufferTooShort", "Condition", "Event",
    "JoinableQueue", "Lock", "Manager", "Pipe", "Pool", "Process", "ProcessContext", "ProcessError", "ProcessException",
    "ProcessExitedException", "ProcessRaisedException", "Queue", "RLock", "RawArray", "RawValue", "Semaphore",
    "SharedMemoryError", "SimpleQueue", "TimeoutError", "Value", "active_children", "allow_connection_pickling",
    "cpu_count", "current_process", "freeze_support", "get_all_sharing_strategies", "get_all_start_methods",
    "get_context", "get_logger", "get_sharing_strategy", "get_start_method", "log_to_stderr", "parent_process",
    "set_executable", "set_forkserver_preload", "set_sharing_strategy", "set_start_method", "shared_empty", "spawn",
    "start_processes",
]  # fmt: skip

_STRATEGIES = ("file_descriptor", "file_system")
_strategy = ["file_descriptor"]


def get_all_sharing_strategies() -> set[str]:
    """Return the names that `set_sharing_strategy` accepts."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """Return the name that `set_sharing_strategy` set last."""
    return _strategy[0]


@_boundary
def set_sharing_strategy(new_strategy: str) -> None:
    """Set the name of the sharing strategy. The name has no effect: the only strategy leaves no files.

    Raises:
        ValueError: the name is unknown.

    >>> set_sharing_strategy("file_system")
    >>> get_sharing_strategy()
    'file_system'
    >>> set_sharing_strategy("file_descriptor")
    """
    if new_strategy not in _STRATEGIES:
        raise _InvalidValueError(
            f"set_sharing_strategy: expected one of {', '.join(_STRATEGIES)}; got {new_strategy!r}"
        )
    _strategy[0] = new_strategy


__dir__ = _published(__name__)
