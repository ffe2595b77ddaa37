"""The interface of transports, which carry messages between workers: mailboxes in shared memory, or Ray actors."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

Part = bytes | bytearray | memoryview | pickle.PickleBuffer
Parts = Sequence[Part] | Callable[[], Sequence[Part]]
CALL, RESULT, ERROR, DROP, LEAVE = range(5)  # kinds of messages


class Message(NamedTuple):
    """A message that was received.

    Fields:
        source: the rank that sent it.
        kind: CALL, RESULT, ...
        number: the call that it belongs to, counted by the caller.
        parts: the result of `pack`, or a function that waits for it.
    """

    source: int
    kind: int
    number: int
    parts: Parts


class Transport(Protocol):
    """Sends and receives messages of one worker. Messages between two workers stay in order."""

    rank: int
    size: int
    address: str  # by which other workers find this one

    def connect(self, addresses: Sequence[str]) -> None:
        """Find the other workers, given the addresses of all."""

    def post(self, rank: int, kind: int, number: int, parts: Sequence[Part] = ()) -> None:
        """Send a message. DistBackendError if the receiver has ended, or takes no messages."""

    def receive(self) -> Message | None:
        """Return the next message, or None if there is none for a short time."""

    def has_ended(self, rank: int) -> bool:
        """Return whether a worker has ended."""

    def settle(self) -> None:
        """Wait until other workers no longer need this one to receive what it sent."""

    def close(self) -> None:
        """Release the memory, or actors, of this worker."""


def pack(value: object) -> list[Part]:
    """Pickle an object; the elements of tensors and arrays become parts of their own, which are not copied."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return [data, *buffers]


def unpack(parts: Parts) -> Any:
    """Return the object of the result of `pack`. Arrays use the memory of the parts."""
    if callable(parts):
        parts = parts()
    return pickle.loads(parts[0], buffers=parts[1:])
