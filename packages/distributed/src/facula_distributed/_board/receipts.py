"""Messages that the program receives.

A message goes to the first of the program's calls that accepts its source and tag. The thread that waits for one
receives all that arrive; while no thread waits, one in the background does, so that `irecv` completes by itself.
"""

from __future__ import annotations

import math
import time
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any, Protocol

from .._errors import DistBackendError
from .._turns import turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .letters import Letters
    from .member import Member


class Receipt(Protocol):
    """A message that the program is to receive."""

    operation: str  # the beginning of errors
    sources: Sequence[int]  # the ranks of the group that it may come from
    tag: int
    line: bytes  # the program's line
    source: int  # that it came from, or -1

    def is_ended(self) -> bool:
        """Return whether it was received, or failed."""

    def take(self, source: int, letter: Any) -> None:
        """Receive the message."""

    def fail(self, error: DistBackendError) -> None:
        """Note that it will not be received."""


class Receipts:
    """The receipts of a group.

    Arguments:
        member: this rank in the group.
        letters: the group's messages.
    """

    def __init__(self, member: Member, letters: Letters) -> None:
        self._member, self._letters = member, letters
        self._pending: list[Receipt] = []  # in the order of the program's calls
        self._changed = Condition()  # guards all that follows, and the receipts
        self._waiting, self._is_closed = 0, False
        self._thread: Thread | None = None

    def add(self, receipt: Receipt, in_background: bool = False) -> None:
        """Receive a message if it has arrived; otherwise when the program waits, or in the background."""
        with self._changed:
            self._pending.append(receipt)
            self._match()
            if not in_background or not self._pending or turns() is not None:  # another rank may have its turn
                return
            if self._thread is None:
                self._thread = Thread(target=self._receive, daemon=True, name="facula: messages")
                self._thread.start()
            self._changed.notify_all()

    def wait(self, receipt: Receipt, seconds: float | None = None) -> None:
        """Wait until a receipt has ended, or for some seconds. After the group's timeout it fails."""
        world = self._member.world
        place, now = world.board.place(world.rank), time.monotonic()
        deadline = math.inf if turns() is not None else now + self._member.timeout
        with self._changed:
            if receipt.is_ended():
                return
            self._waiting += 1
        place.where = receipt.line
        place.awaited = self._member.ranks[receipt.sources[0]] if len(receipt.sources) == 1 else -1
        place.awaited_group, place.awaited_tag = self._member.group, receipt.tag
        place.since = now
        try:
            while True:
                seen = self._letters.bell()
                if self._look(receipt, deadline) or (seconds is not None and time.monotonic() > now + seconds):
                    return
                if (others := turns()) is None:
                    self._letters.wait_for_bell(seen)
                else:
                    text = receipt.line.decode(errors="replace")
                    others.pause(f"waits in {receipt.operation} at {text}", ("letter", seen))
        finally:
            place.since = 0
            if receipt.source >= 0:
                costs = self._member.ledger.costs_of(receipt.operation, receipt.line, is_async=False)
                costs.add_wait(receipt.source, time.monotonic() - now)
            with self._changed:
                self._waiting -= 1
                self._changed.notify_all()

    def look(self, receipt: Receipt) -> bool:
        """Receive messages that have arrived, and return whether a receipt has ended."""
        with self._changed:
            self._match()
            return receipt.is_ended()

    def discard(self, receipt: Receipt) -> None:
        """Receive no message for a receipt that the program no longer waits for."""
        with self._changed:
            if receipt in self._pending:
                self._pending.remove(receipt)

    def close(self) -> None:
        """End the thread. Messages that are not received yet fail."""
        with self._changed:
            self._is_closed = True
            for one in self._pending:
                one.fail(DistBackendError(f"{one.operation}: destroy_process_group was called before it completed"))
            self._pending.clear()
            self._changed.notify_all()

    def _match(self) -> None:
        missed: dict[int, set[int]] = {}  # sources by tag: a message that arrives now is for the first receipt
        for one in list(self._pending):
            sources = missed.setdefault(one.tag, set())
            found = self._letters.find(one.sources, one.tag) if sources.isdisjoint(one.sources) else None
            if found is None:
                sources.update(one.sources)
            else:
                self._pending.remove(one)
                one.take(*found)

    def _look(self, receipt: Receipt, deadline: float | None) -> bool:
        """Receive messages that have arrived. Fail a receipt whose message will not come; return whether it ended."""
        with self._changed:
            if not receipt.is_ended():
                problem = self._letters.problem(receipt.operation, receipt.sources, deadline)
                self._match()  # after that, as the sender may have ended after sending
                if problem is not None and not receipt.is_ended():
                    self._pending.remove(receipt)
                    receipt.fail(problem)
            return receipt.is_ended()

    def _receive(self) -> None:
        while True:
            with self._changed:
                while not self._is_closed and (self._waiting or not self._pending):
                    self._changed.wait()
                if self._is_closed:
                    return
                pending = list(self._pending)
                seen = self._letters.bell()
                ended = [self._look(one, None) for one in pending]
            if not all(ended):
                self._letters.wait_for_bell(seen)
