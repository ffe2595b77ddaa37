"""A store at an address of this machine: one process has the entries, others borrow them over a connection.

A client takes all entries, and returns them if it changed them. Until then it has the
server's lock, like a thread of the server. Stores have few entries: those that processes need to find each other.
"""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import contextmanager, suppress
from threading import Condition, Thread, current_thread
from typing import TYPE_CHECKING, TypeAlias
from weakref import finalize

from .._errors import DistNetworkError
from .store import POLLING_SECONDS, Store
from .tokens import STORE, StrangerError, read_exactly, show_token

if TYPE_CHECKING:
    from collections.abc import Iterator

Address: TypeAlias = "tuple[str, int] | str"  # of TCP, or the name of a Unix socket without a file
Entries: TypeAlias = "dict[str, list[bytes]]"

_GREETING = b"facula store 1\n"
_ANSWER_SECONDS = 20.0  # a client that keeps the entries longer, such as a stopped process, loses its connection

_CLOSE_SECONDS = 2.0


class ServerEndedError(DistNetworkError):
    """The process with the entries of a store closed it, or ended."""


class Memory:
    """The entries of stores in memory."""

    def __init__(self) -> None:
        self.changed, self.entries = Condition(), dict[str, list[bytes]]()

    @contextmanager
    def lend(self, changes: bool) -> Iterator[Entries]:
        """Yield the entries under exclusive access; `changes` wakes threads that wait for a change."""
        with self.changed:
            yield self.entries
            if changes:
                self.changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Wait for a change, at most `seconds`."""
        with self.changed:
            self.changed.wait(min(seconds, 1.0))


def encoded(entries: Entries) -> str:
    """Return entries as JSON."""
    return json.dumps({key: [value.decode("latin-1") for value in values] for key, values in entries.items()})


def decoded(found: dict[str, list[str]]) -> Entries:
    """Return the entries of parsed JSON."""
    return {key: [value.encode("latin-1") for value in values] for key, values in found.items()}


def _socket(address: Address) -> socket.socket:
    if isinstance(address, str):
        return socket.socket(socket.AF_UNIX)
    made = socket.socket(socket.AF_INET)
    _send_at_once(made)
    return made


def _send_at_once(connection: socket.socket) -> None:
    """Do not delay short messages until the other end has confirmed earlier ones, which takes it 40 ms."""
    if connection.family != socket.AF_UNIX:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _connect(address: Address) -> socket.socket:
    if not isinstance(address, str):
        return socket.create_connection(address, _ANSWER_SECONDS)
    made = _socket(address)
    made.settimeout(_ANSWER_SECONDS)
    try:
        made.connect(address)
    except OSError:
        made.close()
        raise
    return made


class Server:
    """Lends entries to other processes of this machine.

    Arguments:
        memory: the entries.
        address: where to listen; port 0 is a free one.

    Raises:
        OSError: the address is in use.
    """

    def __init__(self, memory: Memory, address: Address) -> None:
        self._memory, self._process = memory, os.getpid()
        self._listener = _socket(address)
        try:
            if not isinstance(address, str):
                self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind(address)
            self._listener.listen(1024)
        except OSError:
            self._listener.close()
            raise
        self.port = 0 if isinstance(address, str) else int(self._listener.getsockname()[1])
        sockets = {self._listener}
        thread = Thread(target=_accept, args=(self._listener, memory, sockets), daemon=True, name="facula: store")
        thread.start()
        self.close = finalize(self, _shut, sockets, thread, os.getpid())


def _shut(sockets: set[socket.socket], thread: Thread, process: int) -> None:
    """End the server and its connections."""
    if os.getpid() != process:  # in a forked child, it would end the parent's server
        return
    _end(sockets)
    if thread is not current_thread():
        thread.join(_CLOSE_SECONDS)  # the address is free when it has left `accept`
    _end(sockets)  # a connection that it accepted last


def _end(sockets: set[socket.socket]) -> None:
    for one in list(sockets):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


def _accept(listener: socket.socket, memory: Memory, sockets: set[socket.socket]) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:  # closed
            return
        sockets -= {one for one in sockets if one.fileno() < 0}
        sockets.add(connection)
        Thread(target=lend_to, args=(connection, memory), daemon=True, name="facula: store").start()


def lend_to(connection: socket.socket, memory: Memory) -> None:
    """Lend entries to a client until it ends the connection."""
    with suppress(OSError, ValueError), connection, connection.makefile("rwb") as file:
        _send_at_once(connection)
        connection.settimeout(None)
        file.write(_GREETING)
        file.flush()
        while request := file.readline():
            connection.settimeout(_ANSWER_SECONDS)
            with memory.changed:
                file.write(encoded(memory.entries).encode() + b"\n")
                file.flush()
                if request == b"change\n":
                    memory.entries.update(changed := decoded(json.loads(file.readline())))
                    for key in memory.entries.keys() - changed.keys():
                        del memory.entries[key]
                    memory.changed.notify_all()
            connection.settimeout(None)


class NetworkStore(Store):
    """A store whose entries are in one process of this machine.

    Arguments:
        address: where the entries are.
        memory: the entries, if they are in this process.
        token: what the client proves to know, if the server asks for it.
    """

    def __init__(self, address: Address, memory: Memory | None, token: str | None = None) -> None:
        super().__init__()
        self._address, self._memory, self._token = address, memory, token
        self._connection: tuple[socket.socket, int] | None = None  # with the process that opened it
        self._using = Condition()
        self._server: Server | None = None

    def close(self) -> None:
        """End the server, if it is in this process, and its connections."""
        if self._server is not None:
            self._server.close()

    @contextmanager
    def _entries(self, changes: bool = True) -> Iterator[Entries]:
        if self._memory is not None:
            with self._memory.lend(changes) as entries:
                yield entries
            return
        with self._using:
            connection = self._connected()
            try:
                with connection.makefile("rwb") as file:
                    file.write(b"change\n" if changes else b"read\n")
                    file.flush()
                    entries = decoded(json.loads(file.readline()))
                    try:
                        yield entries
                    finally:
                        if changes:
                            file.write(encoded(entries).encode() + b"\n")
                            file.flush()
            except (OSError, json.JSONDecodeError):
                self._connection = None
                raise ServerEndedError(
                    f"{type(self).__name__}: the process with the entries, at {self._shown()}, has ended; "
                    "start all processes again"
                ) from None

    def _pause(self, seconds: float) -> None:
        if self._memory is None:
            super()._pause(seconds)
        else:
            self._memory.pause(seconds)

    def _shown(self) -> str:
        return self._address if isinstance(self._address, str) else ":".join(map(str, self._address))

    def _connected(self) -> socket.socket:
        """Connect, waiting for the server as long as the timeout allows."""
        if self._connection is not None and self._connection[1] == os.getpid():
            return self._connection[0]
        end = time.monotonic() + self._timeout.total_seconds()
        while True:
            made, greeting, problem = None, b"", "it closes connections"
            try:
                made = _connect(self._address)
                if self._token is not None:
                    show_token(made, self._token, STORE)
                greeting = read_exactly(made, len(_GREETING), time.monotonic() + _ANSWER_SECONDS)
            except OSError as error:
                problem = str(error)
            except StrangerError as error:
                raise DistNetworkError(
                    f"{type(self).__name__}: expected the launcher of node 0 at {self._shown()}; {error}"
                ) from None
            if made is not None and greeting == _GREETING:
                break
            if made is not None:
                made.close()
            if greeting:
                raise DistNetworkError(
                    f"{type(self).__name__}: {self._shown()} belongs to another program; choose a free port"
                )
            if time.monotonic() > end:
                raise DistNetworkError(
                    f"{type(self).__name__}: there is no store at {self._shown()} ({problem}); start rank 0, or "
                    "correct the address"
                )
            time.sleep(POLLING_SECONDS)  # there is no server yet, or one that is being closed
        made.settimeout(None)
        self._connection = made, os.getpid()
        return made
