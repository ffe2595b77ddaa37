"""The launchers of several machines: they meet at node 0, agree, and learn of failures of others.

Note [Launchers]
~~~~~~~~~~~~~~~~
The launcher of each machine has a link to that of node 0, which passes messages on. They agree by collecting values: a
launcher offers one under a name, and node 0 sends them to all when it has those of all machines. Failures are decided
by node 0: it waits a moment, because the death of one rank makes others fail, prefers ranks that were killed by a
signal, and sends its verdict to all. Each launcher, also that of the failed rank, ends its ranks on this verdict.
Launchers send node 0 the changed records of their ranks. A launcher whose link is closed, or without a sign of life, is
lost, which ends the run.
"""

from __future__ import annotations

import select
import socket
import time
from contextlib import suppress
from queue import Empty
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from facula_errors import OperationError

from .._stores.network import Memory
from .._stores.tokens import LAUNCHER, PROOF_SECONDS, StrangerError, show_token
from .alone import Alone, Failure, InterruptError
from .links import Door, Link
from .mirror import Mirror
from .output import say
from .places import difference, host_name
from .stacks import LocalRanks, Stack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._board.board import Board
    from .places import Place

_POLLING_SECONDS = 0.1
_SETTLING_SECONDS = 0.05  # in which node 0 waits for other failures after the first one
_ANSWER_SECONDS = 3.0  # for stacks of other machines' ranks
_PATIENCE_SECONDS = 5.0  # until a launcher says that it waits for others
_REFUSAL_SECONDS = 2.0  # in which others may come, to be told that the run does not begin


class Machines(Alone):
    """The launchers of all machines, as this one sees them; `join` comes first.

    Arguments:
        place: the place of this machine.
        nproc: the number of ranks of each machine.
        about: what all machines must have in common: the names of `_SAME` in places.py; and `error`, an error of
            this machine, or "".
    """

    def __init__(self, place: Place, nproc: int, about: dict[str, Any]) -> None:
        self.place, self.node, self.nnodes, self._nproc = place, place.node, place.nnodes, nproc
        self.verdict, self.signal, self._lost = None, None, ""
        self._about = {**about, "node": place.node, "host": host_name()}
        self._others: dict[int, Link] = {}
        self._pending: list[Link] = []  # that have not said which machine they are of
        self._hosts: dict[int, str] = {}
        self._door: Door | None = None
        self._offered: dict[str, dict[int, Any]] = {}
        self._values: dict[str, list[Any]] = {}
        self._failures: list[Failure] = []
        self._deciding = self._reporting = 0.0
        self._is_closed = Event()
        self._unsent_signal: int | None = None
        self._last_offer, self._attempt = "", 0
        self._mirror: Mirror | None = None
        self._ranks: LocalRanks | None = None
        self._states: dict[int, str] = {}
        self._stacks: dict[int, Stack] = {}
        self._interval = place.lost_after / 5

    @property
    def links(self) -> tuple[Link, ...]:  # type: ignore[override]
        return tuple(self._others.values())

    def host_of(self, node: int) -> str:
        """Return the name of a machine."""
        return self._hosts.get(node, self.place.host if node == 0 else "unknown")

    def name_of(self, node: int) -> str:
        """Describe a machine: "node 1 (host1)"."""
        return f"node {node} ({self.host_of(node)})"

    def join(self) -> None:
        Thread(target=self._beat, daemon=True, name="facula: signs of life").start()
        if self.node == 0:
            self._admit_all()
        else:
            self._enter()

    def _admit_all(self) -> None:
        place, pending, strangers = self.place, self._pending, set[str]()
        self._door = door = Door(place.host, place.port, place.token)
        found, problem = {0: self._about}, difference(self._about, self._about)
        begun = time.monotonic()
        said, refusing = begun + _PATIENCE_SECONDS, begun + _REFUSAL_SECONDS
        while len(found) < self.nnodes:
            now, missing = time.monotonic(), [node for node in range(self.nnodes) if node not in found]
            with suppress(Empty):
                strangers.add(door.strangers.get_nowait())
            others = f"; connections without this run's token came from {', '.join(strangers)}" if strangers else ""
            if now > begun + place.join_timeout:
                self._refuse(
                    f"expected {self.nnodes} machines within {place.join_timeout:g} s; no nodes {missing}{others}; "
                    "start the launcher there, with the same --master and token"
                )
            if problem and now > refusing:
                self._refuse(problem)
            if now > said:
                say(f"waits for nodes {missing}{others}")
                said = now + 6 * _PATIENCE_SECONDS
            with suppress(Empty):
                pending.append(door.arrived.get_nowait())
            for link in list(pending):
                for message, _ in link.receive():
                    other = message["about"]
                    pending.remove(link)
                    if other["node"] in found:
                        text = f"expected one launcher per --node-rank; got two for {other['node']}"
                        link.send({"kind": "refuse", "text": text})
                        link.close()
                        break
                    self._others[other["node"]], found[other["node"]] = link, other
                    self._hosts[other["node"]] = other["host"]
                    if not problem:
                        problem, refusing = difference(found[0], other), now + _REFUSAL_SECONDS
                    break
                if link.is_closed and link in pending:
                    pending.remove(link)
            self.poll(_POLLING_SECONDS)
            self._check()
        if problem:
            self._refuse(problem)
        self._hosts = {node: one["host"] for node, one in found.items()}
        self._send_all({"kind": "welcome", "hosts": [self._hosts[node] for node in range(self.nnodes)]})

    def _refuse(self, text: str) -> None:
        self._send_all({"kind": "refuse", "text": text})
        raise OperationError(f"facula run: {text}")

    def _enter(self) -> None:
        place, begun = self.place, time.monotonic()
        where, is_said = f"{place.host}:{place.port}", False
        while True:
            try:
                connection = socket.create_connection((place.host, place.port), PROOF_SECONDS)
                show_token(connection, place.token, LAUNCHER)
                break
            except StrangerError as error:
                raise OperationError(
                    f"facula run: expected the launcher of node 0 at {where}, with the same job token; got: {error}; "
                    "correct --master, or the token"
                ) from None
            except OSError as error:
                problem = error.strerror or str(error)
            self._check()
            waited = time.monotonic() - begun
            if waited > place.join_timeout:
                raise OperationError(
                    f"facula run: expected the launcher of node 0 at {where} within {place.join_timeout:g} s; got: "
                    f"{problem}; start it there, let firewalls pass the port, or correct --master"
                )
            if waited > _PATIENCE_SECONDS and not is_said:
                say(f"waits for node 0 at {where} ({problem})")
                is_said = True
            time.sleep(_POLLING_SECONDS)
        self._others[0] = Link(connection)
        self._others[0].send({"kind": "join", "about": self._about})
        while not self._hosts:
            self._check()
            self.poll(_POLLING_SECONDS)

    def _check(self) -> None:
        if self.signal is not None:
            raise InterruptError
        if self._lost:
            raise OperationError(f"facula run: {self._lost}")

    def begin(self, number: int, board: Board, own: Sequence[int], interval: float) -> LocalRanks:
        self.verdict = Failure(-1, self._lost, 1) if self._lost else None
        self._attempt, self._failures, self._states = number, [], {}
        self._ranks, self._mirror = LocalRanks(board), Mirror(board, own)
        self._interval = min(self.place.lost_after / 5, interval)
        if self._door is not None:
            self._door.memory = Memory()
        self.gather(f"begin of attempt {number}", None)
        return _AllRanks(self, board) if self.node == 0 else self._ranks

    def end(self) -> None:
        self._ranks = self._mirror = None

    def node_of(self, rank: int) -> int:
        """Return the machine of a rank."""
        return rank // self._nproc

    def fail(self, failure: Failure) -> None:
        text = f"{self.name_of(self.node if failure.rank < 0 else self.node_of(failure.rank))}: {failure.text}"
        failure = failure._replace(text=text)
        if self.node == 0:
            self._note_failure(failure)
        else:
            self._send_all({"kind": "failed", "attempt": self._attempt, "failure": failure})

    def _note_failure(self, failure: Failure) -> None:
        if not self._failures:
            self._deciding = time.monotonic() + _SETTLING_SECONDS
        self._failures.append(failure)

    def offer(self, name: str, value: Any) -> None:
        if self._last_offer == name:
            return
        self._last_offer = name
        if self.node == 0:
            self._note_value(name, 0, value)
        else:
            self._send_all({"kind": "value", "name": name, "value": value})

    def _note_value(self, name: str, node: int, value: Any) -> None:
        values = self._offered.setdefault(name, {})
        values[node] = value
        if len(values) == self.nnodes:
            self._values[name] = [values[node] for node in range(self.nnodes)]
            self._send_all({"kind": "values", "name": name, "values": self._values[name]})
            del self._offered[name]

    def values(self, name: str) -> list[Any] | None:
        return self._values.get(name)

    def gather(self, name: str, value: Any) -> list[Any]:
        self.offer(name, value)
        while name not in self._values:
            self._check()  # later, as a launcher that has all values may end
            self.poll(_POLLING_SECONDS)
        return self._values[name]

    def interrupt(self, number: int) -> None:
        self.signal = self._unsent_signal = number

    def poll(self, seconds: float = 0) -> None:
        if seconds:
            select.select([link.socket for link in self.links if not link.is_closed], [], [], seconds)
        if self._unsent_signal is not None:
            self._send_all({"kind": "signal", "number": self._unsent_signal})
            self._unsent_signal = None
        for node, link in list(self._others.items()):
            link.flush()
            try:
                for message, data in link.receive():
                    self._handle(node, message, data)
            except (ValueError, KeyError, TypeError):
                link.is_closed = True
        now = time.monotonic()
        if self._failures and self.verdict is None and now > self._deciding:
            self.verdict = next((one for one in self._failures if one.is_killed), self._failures[0])
            self._send_all({"kind": "verdict", "failure": self.verdict})
        for node, link in list(self._others.items()):
            if link.is_closed or now > link.heard + self.place.lost_after:
                how = "has ended" if link.is_closed else f"did not answer for {self.place.lost_after:g} s"
                self._lose(node, f"{self.name_of(node)}: its launcher {how}; see its output")
        if now > self._reporting:
            self._reporting = now + self._interval
            self._report()

    def _beat(self) -> None:
        """Show the others that this process lives, in a thread: the launcher may wait for who reads its output."""
        while not self._is_closed.wait(self.place.lost_after / 5):
            self._send_all({"kind": "beat"})

    def _report(self) -> None:
        """Send node 0 the changed records of the ranks of this machine."""
        if self.node == 0 or self._mirror is None or self._ranks is None:
            return
        own = range(self.node * self._nproc, (self.node + 1) * self._nproc)
        states = {rank: self._ranks.state(rank) for rank in own}
        message = {"kind": "records", "attempt": self._attempt, "now": time.monotonic(), "states": states}
        self._send_all(message, self._mirror.changes())

    def _lose(self, node: int, text: str) -> None:
        self._others.pop(node).close()
        if self.signal is None and not self._lost:
            self._note_loss(text)
            if self.node == 0:
                self._send_all({"kind": "lost", "text": text})

    def _note_loss(self, text: str) -> None:
        self._lost = text
        if self.verdict is None:
            self.verdict = Failure(-1, text, 1)

    @property
    def is_broken(self) -> bool:  # type: ignore[override]
        return bool(self._lost)

    def _send_all(self, message: dict[str, Any], data: bytes = b"") -> None:
        for link in self.links:
            link.send(message, data)

    def _handle(self, node: int, message: dict[str, Any], data: bytes) -> None:
        kind = message["kind"]
        if kind == "records":
            if self._mirror is not None and message["attempt"] == self._attempt:
                ranks = range(node * self._nproc, (node + 1) * self._nproc)
                self._mirror.apply(data, ranks, time.monotonic() - float(message["now"]))
                self._states |= {int(rank): str(state) for rank, state in message["states"].items()}
        elif kind == "value":
            self._note_value(message["name"], node, message["value"])
        elif kind == "values":
            self._values[message["name"]] = message["values"]
        elif kind == "failed":
            if message["attempt"] == self._attempt:
                self._note_failure(Failure(*message["failure"]))
        elif kind == "verdict":
            self.verdict = self.verdict or Failure(*message["failure"])
        elif kind == "lost":
            self._note_loss(str(message["text"]))
        elif kind == "signal":
            if self.signal is None:
                self.signal = int(message["number"])
                if self.node == 0:
                    self._send_all(message)
        elif kind == "ask":
            found = {} if self._ranks is None else self._ranks.stacks(message["ranks"])
            self._send_all({"kind": "stacks", "found": found})
        elif kind == "stacks":
            self._stacks |= {int(rank): Stack(*stack) for rank, stack in message["found"].items()}
        elif kind == "welcome":
            self._hosts = dict(enumerate(message["hosts"]))
        elif kind == "refuse":
            raise OperationError(f"facula run: {message['text']}")

    def state(self, rank: int) -> str:
        """Return the state of a rank's process, as its launcher said last."""
        return self._states.get(rank, "running")

    def stacks(self, ranks: Iterable[int]) -> dict[int, Stack]:
        """Ask the launchers of ranks for their stacks."""
        asked = list(ranks)
        self._stacks = {}
        for node in {self.node_of(rank) for rank in asked}:
            if node in self._others:
                own = [rank for rank in asked if self.node_of(rank) == node]
                self._others[node].send({"kind": "ask", "ranks": own})
        end = time.monotonic() + _ANSWER_SECONDS
        while not self._stacks.keys() >= set(asked) and time.monotonic() < end and not self.is_broken:
            self.poll(_POLLING_SECONDS)
        return self._stacks

    def close(self) -> None:
        self._is_closed.set()
        self.poll()
        if self._door is not None:
            self._door.close()
            while not self._door.arrived.empty():
                self._pending.append(self._door.arrived.get())
        for link in self._pending:
            if self.signal is not None:
                link.send({"kind": "signal", "number": self.signal})
        for link in [*self._others.values(), *self._pending]:
            link.close()
        self._others, self._pending = {}, []


class _AllRanks(LocalRanks):
    """The ranks of all machines, for the launcher of node 0."""

    def __init__(self, machines: Machines, board: Board) -> None:
        super().__init__(board)
        self._machines = machines

    def state(self, rank: int) -> str:
        return super().state(rank) if self._machines.node_of(rank) == 0 else self._machines.state(rank)

    def stacks(self, ranks: Iterable[int]) -> dict[int, Stack]:
        asked = list(ranks)
        found = super().stacks([rank for rank in asked if self._machines.node_of(rank) == 0])
        found |= self._machines.stacks([rank for rank in asked if self._machines.node_of(rank) != 0])
        machines, described = self._machines, {}
        for rank, (about, frames) in found.items():
            node = machines.node_of(rank)
            described[rank] = Stack(f"node {node}, {machines.host_of(node)}{', ' if about else ''}{about}", frames)
        return described
