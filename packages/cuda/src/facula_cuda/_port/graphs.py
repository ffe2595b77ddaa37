"""CUDA graphs: work that is captured once and queued again by one call, with PyTorch's names and semantics.

Note [Memory of a graph]: a graph writes to the same addresses at every replay. Memory that is taken during its capture
therefore comes from a private pool of the device's allocator, which keeps its idle memory as long as a graph uses it.
The allocator knows the stream of the capture, not those of replays: a graph that is dropped waits for its replays
before its pool may be reused. Random numbers of replays are those of the generators at that time: see draws.py.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from typing import TypeAlias, TypeVar
from weakref import WeakValueDictionary

from facula_allocator import MemPool, use_mem_pool
from facula_errors import InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary, guarded

from .._driver import ffi, lib
from .device_memory import device_allocator
from .devices import context, synchronize
from .draws import GraphDraws
from .driver import check, check_session, opened
from .streams import Stream, current_stream
from .streams import stream as use_stream

T = TypeVar("T")
#: A number for graphs that share memory, from `graph_pool_handle` or `CUDAGraph.pool`.
PoolHandle: TypeAlias = tuple[int, int]

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}
_handles = count(1)
#: The pools in use, by handle and device. Graphs keep them alive.
_pools: WeakValueDictionary[tuple[PoolHandle, int], MemPool] = WeakValueDictionary()
#: The graphs whose captures run, by device and stream.
_capturing: WeakValueDictionary[tuple[int, int], CUDAGraph] = WeakValueDictionary()


class CUDAGraph:
    """Work that was queued on a stream during a capture, and is queued again by `replay`.

    A replay reads and writes the memory of the capture: write new inputs into the tensors that the captured functions
    read, and read results from the tensors that they returned. During a capture no work runs, and the host must not
    wait for the device.

    >>> from facula_cuda import is_available
    >>> from facula_cuda.testing import simulate
    >>> if not is_available():
    ...     simulate()
    >>> captured = CUDAGraph()
    >>> with graph(captured):
    ...     pass  # operators on tensors of the device
    >>> captured.replay()
    """

    __slots__ = (
        "__weakref__",
        "_capture",
        "_draws",
        "_executable",
        "_graph",
        "_handle",
        "_kept",
        "_pool",
        "_replayed_on",
        "_session",
        "device_index",
    )

    #: The index of the device; None before a capture.
    device_index: int | None

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._executable = 0
        self._graph = 0  # kept for changes of its nodes
        self._draws: GraphDraws | None = None
        self._pool: MemPool | None = None
        self._handle: PoolHandle | None = None
        self._capture: tuple[Stream, ExitStack] | None = None
        self._replayed_on: set[int] = set()
        self._kept: list[object] = []
        self._session = opened.session
        self.device_index = None

    def __del__(self) -> None:
        if getattr(self, "_executable", 0) and self._session == opened.session:
            self._drop()

    @boundary
    def capture_begin(self, pool: PoolHandle | None = None, capture_error_mode: str = "global") -> None:
        """Capture the work that the calling thread queues on its current stream, which cannot be the default stream.

        `facula_cuda.graph` does this in a block, on a separate stream.

        Arguments:
            pool: the memory pool of another graph that is never replayed at the same time; its own by default.
            capture_error_mode: which calls of CUDA invalidate the capture: "global" for those of all threads that may
                be unsafe, "thread_local" for those of this thread, "relaxed" for none.

        Raises:
            OperationError: the graph is captured already, or the current stream is the default stream.
        """
        if capture_error_mode not in _MODES:
            names = ", ".join(map(repr, _MODES))
            raise InvalidValueError(
                f"CUDAGraph.capture_begin: expected capture_error_mode, one of {names}; got {capture_error_mode!r:.60}"
            )
        if self._executable or self._capture:
            raise OperationError(
                "CUDAGraph.capture_begin: expected a graph without a capture; got one that has been captured. Call "
                "reset() before, or use another graph"
            )
        stream = current_stream()
        if not stream.handle:
            raise OperationError(
                "CUDAGraph.capture_begin: expected another stream than the default stream; got the default stream. Use "
                "facula_cuda.graph(), or a block of facula_cuda.stream(Stream())"
            )
        index = stream.device_index
        handle = graph_pool_handle() if pool is None else _checked_handle(pool)
        memory = private_pool(handle, index)
        context(index)
        with ExitStack() as entered:
            entered.enter_context(use_mem_pool(memory))
            self._draws = draws = GraphDraws(index)
            entered.callback(draws.end)
            _capturing[index, stream.handle] = self
            entered.callback(_capturing.pop, (index, stream.handle), None)
            code = lib.driver.cuStreamBeginCapture_v2(stream.handle, _MODES[capture_error_mode])
            check("CUDAGraph.capture_begin", code)
            self._session, self.device_index = opened.session, index
            self._pool, self._handle = memory, handle
            self._capture = stream, entered.pop_all()

    @boundary
    def capture_end(self) -> None:
        """End the capture, and prepare the graph for replays.

        Raises:
            OperationError: there is no capture.
            CudaError: a call during the capture made it invalid, for example one that waits for the device.
        """
        if self._capture is None:
            raise OperationError(
                "CUDAGraph.capture_end: expected a graph whose capture has begun; got none. Call capture_begin() before"
            )
        stream, entered = self._capture
        self._capture = None
        entered.close()
        stream._use()
        captured, executable = ffi.new("int64_t *"), ffi.new("int64_t *")
        try:
            check("CUDAGraph.capture_end", lib.driver.cuStreamEndCapture(stream.handle, captured))
            self._graph = int(captured[0])
            check("CUDAGraph.capture_end", lib.driver.cuGraphInstantiateWithFlags(executable, self._graph, 0))
            self._executable = int(executable[0])
            if self._draws is not None:
                self._draws.check("CUDAGraph.capture_end")
        except BaseException:
            self._drop()
            self._clear()
            raise
        if not self._draws:
            self._draws = None
            lib.driver.cuGraphDestroy(self._graph)
            self._graph = 0

    @boundary
    def replay(self) -> None:
        """Queue the captured work on the calling thread's current stream of the graph's device.

        Raises:
            OperationError: no work is captured.
        """
        if not self._executable or self.device_index is None:
            raise OperationError(
                "CUDAGraph.replay: expected a graph whose capture has ended; got none. Capture work with "
                "facula_cuda.graph() before"
            )
        stream = current_stream(self.device_index)
        check_session("CUDAGraph.replay", self._session, "a graph", "Capture it again")
        context(self.device_index)
        self._replayed_on.add(stream.handle)
        if self._draws is None:
            code = lib.driver.cuGraphLaunch(self._executable, stream.handle)
        elif is_capturing(stream.handle):
            raise OperationError(
                "CUDAGraph.replay: expected a graph without random operators in a capture; got one with random "
                "operators, which would repeat their numbers. Capture the operators themselves"
            )
        else:
            code = self._draws.launch(self._executable, stream.handle)
        check("CUDAGraph.replay", code)

    @boundary
    def reset(self) -> None:
        """Forget the capture, after its replays are complete, so that its memory can be released and reused."""
        if self._capture is not None:
            raise OperationError(
                "CUDAGraph.reset: expected a graph whose capture has ended; got a running capture. Call capture_end() "
                "before"
            )
        if self._executable and self._session == opened.session:
            self._drop()
        self._clear()

    @boundary
    def pool(self) -> PoolHandle:
        """Return the handle of this graph's memory pool, for graphs that share it.

        Raises OperationError before a capture has begun.
        """
        if self._handle is None:
            raise OperationError(
                "CUDAGraph.pool: expected a graph whose capture has begun; got none. Use graph_pool_handle()"
            )
        return self._handle

    def _abandon(self) -> None:
        """End the capture after an error, and forget it."""
        if self._capture is None:
            return
        stream, entered = self._capture
        entered.close()
        captured = ffi.new("int64_t *")
        if not lib.driver.cuStreamEndCapture(stream.handle, captured):
            lib.driver.cuGraphDestroy(captured[0])
        self._clear()

    def _drop(self) -> None:
        """Wait for replays and destroy the graph: see Note [Memory of a graph]."""
        assert self.device_index is not None
        if lib.facula_cuda_bind(self.device_index):
            return
        for handle in self._replayed_on:
            lib.driver.cuStreamSynchronize(handle)  # an error of the work is reported by the program's next wait
        if self._executable:
            lib.driver.cuGraphExecDestroy(self._executable)
        if self._graph:
            lib.driver.cuGraphDestroy(self._graph)
        self._executable = self._graph = 0

    def __repr__(self) -> str:
        state = "capturing" if self._capture else "captured" if self._executable else "empty"
        return f"<facula_cuda.CUDAGraph {state}>"


@guarded
def graph(
    cuda_graph: CUDAGraph,
    pool: PoolHandle | None = None,
    stream: Stream | None = None,
    capture_error_mode: str = "global",
) -> Iterator[None]:
    """Return a context manager: a block whose work on the current device becomes a graph.

    Before the block, the device is synchronized, and idle memory is released. If the block raises an error, the graph
    stays empty.

    Arguments:
        cuda_graph: the graph, an empty one.
        pool: the memory pool of another graph that is never replayed at the same time; its own by default.
        stream: the stream of the capture, a new one by default.
        capture_error_mode: as of `CUDAGraph.capture_begin`.
    """
    if not isinstance(cuda_graph, CUDAGraph):
        raise InvalidTypeError(f"graph: expected cuda_graph, a CUDAGraph; got {cuda_graph!r:.60}")
    synchronize()
    gc.collect()
    device_allocator().empty_cache()
    with use_stream(Stream() if stream is None else stream):
        cuda_graph.capture_begin(pool, capture_error_mode)
        try:
            yield
        except BaseException:
            cuda_graph._abandon()
            raise
        cuda_graph.capture_end()


@boundary
def graph_pool_handle() -> PoolHandle:
    """Return a handle of a new memory pool, which graphs can share that are never replayed at the same time.

    >>> graph_pool_handle() != graph_pool_handle()
    True
    """
    return 0, next(_handles)


def private_pool(handle: PoolHandle, index: int) -> MemPool:
    """Return the pool of a handle on a device, which the caller must keep alive; a new one if there is none."""
    memory, allocator = _pools.get((handle, index)), device_allocator(index)
    if memory is None or memory.allocator is not allocator:
        _pools[handle, index] = memory = MemPool(allocator)
    return memory


def _checked_handle(pool: object) -> PoolHandle:
    if isinstance(pool, tuple) and len(pool) == 2 and all(type(part) is int for part in pool):
        return pool
    raise InvalidTypeError(
        f"CUDAGraph.capture_begin: expected pool, a handle as of graph_pool_handle(); got {pool!r:.60}"
    )


@boundary
def is_current_stream_capturing() -> bool:
    """Return whether the calling thread's current stream is being captured."""
    stream = current_stream()
    if not stream.handle:
        return False  # the default stream cannot be captured
    context(stream.device_index)
    return is_capturing(stream.handle)


def is_capturing(stream: int) -> bool:
    """Return whether a stream of the current context is being captured, by its handle."""
    status = ffi.new("int *")
    if stream:
        check("is_current_stream_capturing", lib.driver.cuStreamIsCapturing(stream, status))
    return bool(status[0])


def keep_in_graph(index: int, kept: T) -> T | None:
    """Let the graph that the current stream's capture belongs to keep an object; None if that is not a CUDAGraph."""
    found = _capturing.get((index, lib.facula_cuda_stream_of(index)))
    if found is None:
        return None
    found._kept.append(kept)
    return kept
