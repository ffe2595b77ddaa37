"""facula.multiprocessing: the standard library's names; tensors are sent to other processes in shared memory.

Importing it enables this for the queues, pipes and processes of `facula_multiprocessing` too.
"""

from __future__ import annotations

from .._lookup.names import publish
from .._lookup.siblings import needs

with needs("facula.multiprocessing"):
    from facula_multiprocessing import (
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
        ProcessContext,
        ProcessError,
        ProcessException,
        ProcessExitedException,
        ProcessRaisedException,
        Queue,
        RawArray,
        RawValue,
        RLock,
        Semaphore,
        SharedMemoryError,
        SimpleQueue,
        TimeoutError,
        Value,
        active_children,
        allow_connection_pickling,
        cpu_count,
        current_process,
        freeze_support,
        get_all_sharing_strategies,
        get_all_start_methods,
        get_context,
        get_logger,
        get_sharing_strategy,
        get_start_method,
        log_to_stderr,
        parent_process,
        set_executable,
        set_forkserver_preload,
        set_sharing_strategy,
        set_start_method,
    )

from . import reductions
from .reductions import init_reductions
from .spawn import SpawnContext, spawn, start_processes

init_reductions()
publish(__name__)
