"""Proof that both ends of a connection know the token of a job.

Note [Job tokens]
~~~~~~~~~~~~~~~~~
The server sends a greeting and random bytes. The client answers with other random bytes, the kind of its connection,
and an HMAC of all of them; the server answers with another HMAC. So the token itself is never sent, and a recorded
proof cannot be used again. Messages have fixed lengths, so they need no parsing before the peer has proved that it
knows the token. Later messages are not encrypted.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import socket
import time

from facula_errors import FaculaError

TOKEN_VARIABLE = "FACULA_JOB_TOKEN"
LAUNCHER, STORE = b"L", b"S"  # kinds of connections
PROOF_SECONDS = 5.0
_GREETING = b"facula token 1\n\n"
_RANDOM = 32
_PROOF = hashlib.sha256().digest_size


class StrangerError(FaculaError):
    """The other end of a connection is another program, or does not know the token."""


class ClosedError(FaculaError, ConnectionError):
    """The other end of a connection closed it at once."""


def show_token(connection: socket.socket, token: str, kind: bytes) -> None:
    """Prove the token to a server, which proves it, too.

    Raises:
        StrangerError: the server is another program, or has another token.
        OSError: it does not answer.
    """
    end = time.monotonic() + PROOF_SECONDS
    greeting = read_exactly(connection, len(_GREETING) + _RANDOM, end)
    if not greeting:
        raise ClosedError("it closes connections")
    if not greeting.startswith(_GREETING):
        raise StrangerError("another program answers there")
    seen = greeting[len(_GREETING) :] + secrets.token_bytes(_RANDOM) + kind
    connection.sendall(seen[_RANDOM:] + _proof(token, b"client", seen))
    if not hmac.compare_digest(read_exactly(connection, _PROOF, end), _proof(token, b"server", seen)):
        raise StrangerError("the launcher there has another job token")


def check_token(connection: socket.socket, token: str) -> bytes:
    """Check that a client knows the token; return the kind of its connection.

    Raises:
        StrangerError: it does not.
        OSError: it does not answer.
    """
    end = time.monotonic() + PROOF_SECONDS
    own = secrets.token_bytes(_RANDOM)
    connection.sendall(_GREETING + own)
    answer = read_exactly(connection, _RANDOM + 1 + _PROOF, end)
    seen = own + answer[: _RANDOM + 1]
    if not hmac.compare_digest(answer[_RANDOM + 1 :], _proof(token, b"client", seen)):
        raise StrangerError("it has another job token")
    connection.sendall(_proof(token, b"server", seen))
    return answer[_RANDOM : _RANDOM + 1]


def _proof(token: str, role: bytes, seen: bytes) -> bytes:
    return hmac.digest(token.encode(), role + seen, "sha256")


def read_exactly(connection: socket.socket, nbytes: int, end: float) -> bytes:
    """Read so many bytes until a time of the monotonic clock; fewer at the end of the connection.

    Raises:
        TimeoutError: they do not come in time.
    """
    found = b""
    while len(found) < nbytes:
        connection.settimeout(max(0.001, end - time.monotonic()))
        data = connection.recv(nbytes - len(found))
        if not data:
            break
        found += data
    return found
