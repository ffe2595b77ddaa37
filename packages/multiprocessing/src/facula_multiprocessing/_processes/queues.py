"""Queues and pipes of `multiprocessing` that send arrays through shared memory."""

from __future__ import annotations

import select
from contextlib import nullcontext
from multiprocessing import connection, queues, reduction
from queue import Full
from typing import TYPE_CHECKING, Any, TypeAlias

from facula_errors import InvalidValueError

from .._transfer.reductions import Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.context import BaseContext

    _Queue: TypeAlias = queues.Queue[Any]
    _JoinableQueue: TypeAlias = queues.JoinableQueue[Any]
    _SimpleQueue: TypeAlias = queues.SimpleQueue[Any]
else:
    _Queue, _JoinableQueue, _SimpleQueue = queues.Queue, queues.JoinableQueue, queues.SimpleQueue


MAX_ATOMIC = select.PIPE_BUF - 4  # the longest message that a pipe writes atomically, without the 4 bytes of its length


class Connection(connection.Connection):
    """An end of a pipe."""

    imported = False  # whether the receivers are processes other than forks

    def send(self, obj: object) -> None:
        """Send an object; arrays go through shared memory."""
        with Message(obj, self.imported) as message:
            self.send_bytes(message.data)

    @classmethod
    def instead_of(cls, plain: Any) -> Connection:
        """Take over an end of one of `multiprocessing`'s connections."""
        made = cls(plain._handle, plain._readable, plain._writable)
        plain._handle = None
        return made


def _reduce_connection(end: Connection) -> tuple[Callable[..., object], tuple[Any, ...]]:
    return _connection, (reduction.DupFd(end.fileno()), end.readable, end.writable)


def _connection(descriptor: Any, readable: bool, writable: bool) -> Connection:
    return Connection(descriptor.detach(), readable, writable)


reduction.register(Connection, _reduce_connection)


class _Feed:
    """The writer of a queue's thread; it counts the messages written."""

    __slots__ = ("_send", "done")

    def __init__(self, send: Callable[[Any], None]) -> None:
        self._send, self.done = send, 0

    def __call__(self, data: Any) -> None:
        self._send(data)
        self.done += 1


class Queue(_Queue):
    """A queue. `put` pickles the object at once, and raises the errors of pickling.

    If the pipe has room and the queue's thread has no pending messages, `put` writes a small message itself, so the
    thread may never be started.
    """

    _buffer: Any
    _closed: bool
    _notempty: Any
    _sem: Any
    _thread: Any
    _wlock: Any
    _writer: Any

    def __init__(self, maxsize: int = 0, *, ctx: BaseContext) -> None:
        super().__init__(maxsize, ctx=ctx)
        self._writer = Connection.instead_of(self._writer)
        self._writer.imported = ctx.get_start_method() != "fork"
        self._reset()

    def _reset(self, after_fork: bool = False) -> None:
        super()._reset(after_fork)  # type: ignore[misc]
        self._send_bytes = _Feed(self._writer.send_bytes)
        self._handed = 0  # messages passed to the thread
        self._room: select.poll | None = None

    def put(self, obj: object, block: bool = True, timeout: float | None = None) -> None:
        """Send an object; arrays go through shared memory."""
        with Message(obj, self._writer.imported) as message:
            if self._closed:
                raise InvalidValueError(f"put: the queue {self!r} is closed; make another one")
            if not self._sem.acquire(block, timeout):
                raise Full
            with self._notempty:
                self._put(message)

    def _put(self, message: Message) -> None:
        if len(message.data) <= MAX_ATOMIC and self._handed == self._send_bytes.done and self._wlock.acquire(False):
            try:
                if self._has_room():
                    self._writer.send_bytes(message.data)
                    return
            except OSError:  # the thread reports it, as in multiprocessing
                pass
            finally:
                self._wlock.release()
        if self._thread is None:
            self._start_thread()  # type: ignore[attr-defined]
        self._handed += 1
        self._buffer.append(message)
        self._notempty.notify()

    def _has_room(self) -> bool:
        if self._room is None:
            self._room = select.poll()
            self._room.register(self._writer.fileno(), select.POLLOUT)
        return self._room.poll(0) == [(self._writer.fileno(), select.POLLOUT)]


class JoinableQueue(Queue, _JoinableQueue):
    """A queue with `join`, which waits until every object has been marked as done."""

    _cond: Any
    _unfinished_tasks: Any

    def _put(self, message: Message) -> None:
        with self._cond:
            super()._put(message)
            self._unfinished_tasks.release()


class SimpleQueue(_SimpleQueue):
    """A queue without a thread."""

    _reader: Any
    _writer: Any
    _wlock: Any

    def __init__(self, *, ctx: BaseContext) -> None:
        super().__init__(ctx=ctx)
        self._reader, self._writer = map(Connection.instead_of, (self._reader, self._writer))
        self._poll = self._reader.poll
        self._writer.imported = ctx.get_start_method() != "fork"

    def put(self, obj: object) -> None:
        """Send an object; arrays go through shared memory."""
        with Message(obj, self._writer.imported) as message, self._wlock or nullcontext():
            self._writer.send_bytes(message.data)
