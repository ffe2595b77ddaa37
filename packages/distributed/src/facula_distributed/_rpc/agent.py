"""This rank's part in remote calls: the thread that receives messages, and the threads that run functions.

A message is a letter (`_board/letters.py`): its kind, the number of the call, and a pickle. Only processes of the same
user can write letters, so only their pickles are read.

Note [Unused references]: the owner of an RRef drops its value when the reference is deleted. Python may delete it while
any lock is held, so `__del__` only appends to `unused`, and the receiving thread has the message sent.
"""

from __future__ import annotations

import itertools
import pickle
import struct
import time
import traceback
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidValueError

from .._board.letters import Letters
from .._errors import DistBackendError, RankError
from .._groups.futures import Future
from .._launch.rank import lines_of
from .._shm import ffi, lib
from .futures import CallFuture

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._board.member import Member

_HEAD = struct.Struct("<BQ")
CALL, RESULT, ERROR, DROP, LEAVE = range(5)  # kinds of messages
_SETTLING_SECONDS = 0.001


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
    future: Future


class Agent:
    """This rank among those that call each other.

    Arguments:
        member: its place in the group of all ranks.
        names: the names of all ranks.
        threads: how many functions run at the same time.
        timeout: seconds after which a call without a result fails; None for no limit.
        close: called at the end.
    """

    def __init__(
        self, member: Member, names: Sequence[str], threads: int, timeout: float | None, close: Callable[[], object]
    ) -> None:
        self.rank, self.timeout, self._close = member.world.rank, timeout, close
        self.workers = [WorkerInfo(name, rank) for rank, name in enumerate(names)]
        self.values: dict[tuple[int, int], Future] = {}  # of remote references to this rank, by their keys
        self.numbers = itertools.count(1)
        self.unused: deque[tuple[int, tuple[int, int]]] = deque()  # owners and keys: Note [Unused references]
        self._member, self._letters = member, Letters(member)
        self._others = [rank for rank in range(len(names)) if rank != self.rank]
        self._calls: dict[int, _Call] = {}
        self._left: set[int] = set()
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
        worker = self.worker(to)
        future = CallFuture(f"{getattr(function, '__qualname__', function)} on {worker.name!r}", seconds)
        if worker.id == self.rank:
            self._pool.submit(future._set_by, lambda: function(*arguments, **keywords))
            return future
        body = pickle.dumps((function, tuple(arguments), dict(keywords)))
        number = next(self.numbers)
        self._calls[number] = _Call(worker.id, future)
        self._post(worker.id, CALL, number, body)
        return future

    def _post(self, rank: int, kind: int, number: int, body: bytes = b"") -> None:
        data = _HEAD.pack(kind, number) + body
        address = int(ffi.cast("uintptr_t", ffi.from_buffer(data)))
        self._letters.post("rpc", rank, 0, ffi.new("Envelope *"), address, len(data))

    def _receive(self) -> None:
        """Read messages until the end."""
        world = self._member.world
        while not self._is_closed:
            seen = lib.read_bell(world.board.base, self.rank)
            found = self._letters.find(self._others, 0)
            if found is None:
                self._fail_calls_of_ended()
                while self.unused:
                    owner, key = self.unused.popleft()
                    self._pool.submit(self._post, owner, DROP, 0, pickle.dumps(key))
                lib.wait_for_bell(world.board.base, self.rank, seen)
                continue
            source, letter = found
            data = bytearray(letter.bytes)
            self._letters.take(source, letter, int(ffi.cast("uintptr_t", ffi.from_buffer(data))), len(data))
            kind, number = _HEAD.unpack_from(data)
            if kind == LEAVE:
                self._note_left(source)
            elif kind == DROP:
                self.values.pop(pickle.loads(data[_HEAD.size :]), None)
            elif kind == CALL:
                self._pool.submit(self._run, source, number, memoryview(data)[_HEAD.size :])
            elif (call := self._calls.pop(number, None)) is not None:
                self._pool.submit(_settle, call.future, kind, memoryview(data)[_HEAD.size :], self.workers[source].name)

    def _fail_calls_of_ended(self) -> None:
        world = self._member.world
        waited = {call.rank for call in list(self._calls.values())} | (set(self._others) - self._left)
        for rank in waited:
            if not world.has_ended(rank):
                continue
            for number, call in list(self._calls.items()):
                if call.rank == rank and self._calls.pop(number, None) is not None:
                    what = f"rpc: rank {rank}, {self.workers[rank].name!r}, has ended before it returned a result"
                    call.future.set_exception(RankError(what, rank))
            self._note_left(rank)

    def _note_left(self, rank: int) -> None:
        self._left.add(rank)
        if len(self._left) == len(self._others):
            self._all_left.set()

    def _run(self, source: int, number: int, body: memoryview) -> None:
        """Call a function for another rank, and send its result, or once there is one if it is a Future."""

        def call() -> object:
            function, arguments, keywords = pickle.loads(body)
            return function(*arguments, **keywords)

        future = Future()
        future._set_by(call)
        future.add_done_callback(lambda done: self._reply(source, number, done))

    def _reply(self, source: int, number: int, future: Future) -> None:
        try:
            value = future.value()
            if isinstance(value, Future):
                value.add_done_callback(lambda done: self._reply(source, number, done))
                return
            kind, body = RESULT, pickle.dumps(value)
        except Exception as error:
            kind, body = ERROR, _pickled_error(error)
        try:
            self._post(source, kind, number, body)
        except DistBackendError:  # the caller has ended
            pass

    def shutdown(self, *, is_graceful: bool) -> None:
        """End. If graceful, first wait for own calls, and until no other rank needs this one."""
        if is_graceful:
            while self._calls:
                for call in list(self._calls.values()):
                    _wait_for(call.future)
            for rank in self._others:
                if not self._member.world.has_ended(rank):
                    self._post(rank, LEAVE, 0)
            while self._others and not self._all_left.wait(1.0):
                pass
            while any(not self._member.world.has_ended(rank) for rank in self._letters.unread()):
                time.sleep(_SETTLING_SECONDS)
        self._is_closed = True
        self._thread.join()
        for value in list(self.values.values()):
            if not value.done():
                value.set_exception(DistBackendError("rpc: shutdown was called before this RRef had a value"))
        self._pool.shutdown(wait=is_graceful, cancel_futures=not is_graceful)
        for call in list(self._calls.values()):
            call.future.set_exception(DistBackendError("rpc: shutdown was called before the call had a result"))
        self._member.leave()
        self._close()


def _wait_for(future: Future) -> None:
    """Wait until a future has a value or an exception."""
    done = Event()
    future.add_done_callback(lambda _: done.set())
    done.wait()


def _pickled_error(error: Exception) -> bytes:
    lines = list(lines_of(error))
    text = "".join(traceback.format_exception(type(error), error, lines[0] if lines else None))
    try:
        body = pickle.dumps((error, text))
        pickle.loads(body)
        return body
    except Exception:  # methods of the exception may raise any other
        return pickle.dumps((DistBackendError(f"{type(error).__name__}: {error}"), text))


def _settle(future: Future, kind: int, body: memoryview, name: str) -> None:
    """Complete a call with the message that answers it."""

    def value() -> object:
        found = pickle.loads(body)
        if kind == RESULT:
            return found
        error, text = found
        error.add_note(f"raised on {name!r}:\n{text}")
        raise error

    future._set_by(value)
