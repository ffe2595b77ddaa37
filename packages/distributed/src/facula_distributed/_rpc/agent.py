"""This rank's part in remote calls: the thread that receives messages, and the threads that run functions.

Note [Unused references]: the owner of an RRef drops its value when the reference is deleted. Python may delete it while
any lock is held, so `__del__` only appends to `unused`, and the receiving thread has the message sent.
"""

from __future__ import annotations

import itertools
import pickle
import traceback
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidValueError

from .._board.lines import program_line
from .._errors import DistBackendError, RankError
from .._groups.futures import Future
from .._launch.rank import lines_of
from .futures import CallFuture, call_into
from .transport import CALL, DROP, ERROR, LEAVE, RESULT, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .transport import Message, Part, Parts, Transport


class WorkerInfo(NamedTuple):
    """A process that takes part in remote calls.

    Fields:
        name: its name.
        id: its rank.
    """

    name: str
    id: int


class _Call(NamedTuple):
    rank: int
    future: CallFuture


class Agent:
    """This rank among those that call each other.

    Arguments:
        transport: what carries messages.
        names: the names of all ranks.
        threads: how many functions run at the same time.
        timeout: seconds after which a call without a result fails; None for no limit.
    """

    def __init__(self, transport: Transport, names: Sequence[str], threads: int, timeout: float | None) -> None:
        self.rank, self.timeout, self._transport = transport.rank, timeout, transport
        self.workers = [WorkerInfo(name, rank) for rank, name in enumerate(names)]
        self.values: dict[tuple[int, int], Future] = {}  # of remote references to this rank, by their keys
        self.numbers = itertools.count(1)
        self.unused: deque[tuple[int, tuple[int, int]]] = deque()  # owners and keys: Note [Unused references]
        self._others = [rank for rank in range(len(names)) if rank != self.rank]
        self._calls: dict[int, _Call] = {}
        self._left: set[int] = set()
        self._ended: set[int] = set()
        self._broken: DistBackendError | None = None
        self._all_left, self._is_closed = Event(), False
        self._pool = ThreadPoolExecutor(threads, "facula: remote calls")
        self._thread = Thread(target=self._receive, daemon=True, name="facula: messages of remote calls")

    def start(self) -> None:
        """Begin to receive messages."""
        self._thread.start()

    def worker(self, to: object) -> WorkerInfo:
        """Return a worker, given its name, rank or WorkerInfo. ValueError if there is none."""
        for one in self.workers:
            if to == one or to == one.name or (isinstance(to, int) and not isinstance(to, bool) and to == one.id):
                return one
        names = [one.name for one in self.workers]
        raise InvalidValueError(f"rpc: expected a worker, one of {names}, or its rank; got {to!r}")

    def call(
        self, to: object, function: Callable[..., object], arguments: Sequence[object], keywords: dict[str, object],
        seconds: float | None,
    ) -> Future:  # fmt: skip
        """Call a function on a worker, and return the future of its result."""
        if self._is_closed:
            raise DistBackendError("rpc: shutdown was called; call init_rpc again")
        if self._broken is not None:
            raise self._broken
        worker = self.worker(to)
        name, line = getattr(function, "__qualname__", function), program_line().decode()
        future = CallFuture(f"{name} on {worker.name!r}, called at {line},", seconds)
        if worker.id == self.rank:
            self._pool.submit(call_into, future, lambda: function(*arguments, **keywords))
            return future
        body = pack((function, tuple(arguments), dict(keywords)))
        number = next(self.numbers)
        self._calls[number] = _Call(worker.id, future)
        self._transport.post(worker.id, CALL, number, body)
        return future

    def _receive(self) -> None:
        """Read messages until the end."""
        while not self._is_closed:
            try:
                message = self._transport.receive()
            except DistBackendError as error:
                return self._fail(error)
            if message is not None:
                self._read(message)
                continue
            self._fail_calls_of_ended()
            while self.unused:
                owner, key = self.unused.popleft()
                self._pool.submit(self._transport.post, owner, DROP, 0, pack(key))

    def _read(self, message: Message) -> None:
        source, kind, number, parts = message
        if kind == LEAVE:
            self._note_left(source)
        elif kind == DROP:
            self.values.pop(unpack(parts), None)
        elif kind == CALL:
            self._pool.submit(self._run, source, number, parts)
        elif (call := self._calls.pop(number, None)) is not None:
            self._pool.submit(_settle, call.future, kind, parts, self.workers[source].name)

    def _fail(self, error: DistBackendError) -> None:
        """Fail all calls, now and later."""
        self._broken = error
        self._all_left.set()
        for number in list(self._calls):
            if (call := self._calls.pop(number, None)) is not None:
                call.future.set_exception(error)

    def _fail_calls_of_ended(self) -> None:
        """Fail the calls of ranks that had ended before there were no more messages."""
        waited = {call.rank for call in list(self._calls.values())} | (set(self._others) - self._left)
        for rank in self._ended & waited:
            for number, call in list(self._calls.items()):
                if call.rank == rank and self._calls.pop(number, None) is not None:
                    who = f"rank {rank}, {self.workers[rank].name!r}, has ended"
                    call.future.set_exception(RankError(f"rpc: {who} before {call.future.what} had a result", rank))
            self._note_left(rank)
        self._ended = {rank for rank in waited if self._transport.has_ended(rank)}

    def _note_left(self, rank: int) -> None:
        self._left.add(rank)
        if len(self._left) == len(self._others):
            self._all_left.set()

    def _run(self, source: int, number: int, parts: Parts) -> None:
        """Call a function for another rank, and send its result, or once there is one if it is a Future."""

        def call() -> object:
            function, arguments, keywords = unpack(parts)
            return function(*arguments, **keywords)

        future = Future()
        call_into(future, call)
        future.add_done_callback(lambda done: self._reply(source, number, done))

    def _reply(self, source: int, number: int, future: Future) -> None:
        try:
            kind, body = RESULT, pack(future.value())
        except Exception as error:
            kind, body = ERROR, _pickled_error(error)
        try:
            self._transport.post(source, kind, number, body)
        except DistBackendError:  # the caller has ended
            pass

    def shutdown(self, *, is_graceful: bool) -> None:
        """End. If graceful, first wait for own calls, and until no other rank needs this one."""
        if is_graceful:
            while self._calls:
                for call in list(self._calls.values()):
                    _wait_for(call.future)
            for rank in self._others:
                if not self._transport.has_ended(rank):
                    self._transport.post(rank, LEAVE, 0)
            while self._others and not self._all_left.wait(1.0):
                pass
            self._transport.settle()
        self._is_closed = True
        self._thread.join()
        for value in list(self.values.values()):
            if not value.done():
                value.set_exception(DistBackendError("rpc: shutdown was called before this RRef had a value"))
        self._pool.shutdown(wait=is_graceful, cancel_futures=not is_graceful)
        for call in list(self._calls.values()):
            call.future.set_exception(DistBackendError("rpc: shutdown was called before the call had a result"))
        self._transport.close()


def _wait_for(future: Future) -> None:
    """Wait until a future has a value or an exception."""
    done = Event()
    future.add_done_callback(lambda _: done.set())
    done.wait()


def _pickled_error(error: Exception) -> list[Part]:
    lines = list(lines_of(error))
    text = "".join(traceback.format_exception(type(error), error, lines[0] if lines else None))
    try:
        pickle.loads(pickle.dumps(error))
        return pack((error, text))
    except Exception:  # methods of the exception may raise any other
        return pack((DistBackendError(f"{type(error).__name__}: {error}"), text))


def _settle(future: Future, kind: int, parts: Parts, name: str) -> None:
    """Complete a call with the message that answers it."""

    def value() -> object:
        found = unpack(parts)
        if kind == RESULT:
            return found
        error, text = found
        error.add_note(f"raised on {name!r}:\n{text}")
        raise error

    future._set_by(value)
