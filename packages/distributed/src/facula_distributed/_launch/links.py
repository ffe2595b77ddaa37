"""Messages between the launchers of several machines, and the port at which they meet.

A message is a JSON object, perhaps with binary data: two lengths, the text, and the data.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import time
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from facula_errors import OperationError

from .._stores.network import Memory, lend_to
from .._stores.tokens import LAUNCHER, STORE, StrangerError, check_token

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTHS = struct.Struct("!II")
_MAX_BYTES = 1 << 28
_FLUSH_SECONDS = 2.0
_LOCAL = ("localhost", "127.", "::1")


class Link:
    """A connection to another launcher, which has shown the token. No method waits, except `close`.

    Another thread may send, too.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(None)
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket, self.heard, self.is_closed = connection, time.monotonic(), False
        self.peer = str(connection.getpeername()[0])
        self._arrived, self._unsent, self._sending = bytearray(), bytearray(), Lock()

    def send(self, message: dict[str, Any], data: bytes = b"") -> None:
        """Send a message, or keep it for `flush`."""
        text = json.dumps(message).encode()
        with self._sending:
            self._unsent += _LENGTHS.pack(len(text), len(data)) + text + data
        self.flush()

    def flush(self) -> None:
        """Send the rest of messages."""
        with self._sending:
            try:
                while self._unsent:
                    del self._unsent[: self.socket.send(self._unsent)]
            except BlockingIOError:
                pass
            except OSError:
                self.is_closed = True

    def receive(self) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Yield the messages that have arrived; set `is_closed` at the end of the connection."""
        try:
            while data := self.socket.recv(1 << 20):
                self._arrived += data
                self.heard = time.monotonic()
            self.is_closed = True
        except BlockingIOError:
            pass
        except OSError:
            self.is_closed = True
        while len(self._arrived) >= _LENGTHS.size:
            length, rest = _LENGTHS.unpack_from(self._arrived)
            if max(length, rest) > _MAX_BYTES:
                self.is_closed = True
                return
            end = _LENGTHS.size + length + rest
            if len(self._arrived) < end:
                return
            body = bytes(self._arrived[_LENGTHS.size : end])
            del self._arrived[:end]
            yield json.loads(body[:length]), body[length:]

    def close(self) -> None:
        """Send the rest, and close the connection."""
        end = time.monotonic() + _FLUSH_SECONDS
        while self._unsent and not self.is_closed and time.monotonic() < end:
            select.select([], [self.socket], [], 0.1)
            self.flush()
        self.socket.close()


class Door:
    """The port of node 0. Whoever connects shows the token first; launchers and stores of ranks use it.

    Arguments:
        host: the name of this machine that others use; only processes of this machine connect to "localhost".
        port: the port.
        token: the token.

    Raises:
        OperationError: the port cannot be used.
    """

    def __init__(self, host: str, port: int, token: str) -> None:
        self._token, self.memory = token, Memory()
        self.arrived: SimpleQueue[Link] = SimpleQueue()
        self.strangers: SimpleQueue[str] = SimpleQueue()
        try:
            if host.startswith(_LOCAL):
                family = socket.AF_INET6 if ":" in host else socket.AF_INET
                self._listener = socket.create_server((host, port), family=family, backlog=1024)
            elif socket.has_dualstack_ipv6():
                self._listener = socket.create_server(
                    ("", port), family=socket.AF_INET6, backlog=1024, dualstack_ipv6=True
                )
            else:
                self._listener = socket.create_server(("", port), backlog=1024)
        except OSError as error:
            problem = os.strerror(error.errno) if error.errno else str(error)
            raise OperationError(
                f"facula run: port {port} of this machine, node 0, cannot be used ({problem}); choose another "
                "port with --master, on all machines"
            ) from None
        Thread(target=self._accept, daemon=True, name="facula: connections of launchers").start()

    def _accept(self) -> None:
        while True:
            try:
                connection, peer = self._listener.accept()
            except OSError:  # closed
                return
            Thread(target=self._admit, args=(connection, peer[0]), daemon=True, name="facula: connection").start()

    def _admit(self, connection: socket.socket, peer: str) -> None:
        try:
            kind = check_token(connection, self._token)
        except (StrangerError, OSError):
            connection.close()
            self.strangers.put(peer)
            return
        with suppress(OSError):
            if kind == LAUNCHER:
                self.arrived.put(Link(connection))
            elif kind == STORE:
                lend_to(connection, self.memory)

    def close(self) -> None:
        """Close the port."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
