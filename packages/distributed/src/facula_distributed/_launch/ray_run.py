"""A run on machines of a Ray cluster: an actor on each runs its launcher, and lost ones are replaced.

Note [Ray nodes]
~~~~~~~~~~~~~~~~
The program that the user starts is the driver: it creates an actor for each machine, tells them the address of node 0
and a token, prints their output, and ends with the run's exit code. The launchers restart ranks that fail, as without
Ray. If a launcher is killed, or an actor or its machine is lost, the launchers of the other machines end their ranks;
the driver replaces lost actors, and has all launchers start again. The state that ranks keep is in memory of the
actors, and copies of it in those of other machines (Note [Ring of copies] in ray_copies.py). If the driver ends, Ray
ends its actors, the kernel their launchers, and these their ranks.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from facula_errors import OperationError

from .._board.slots import PAUSE_VARIABLE
from .._ray import connected_ray, first_line
from .._stores.tokens import TOKEN_VARIABLE
from . import ray_node
from .output import say
from .ray_copies import KEEP_SECONDS, Copies
from .run import RESTARTS_VARIABLE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_POLLING_SECONDS = 0.5
_PATIENCE_SECONDS = 5.0  # until the driver says that it waits
_GRACE_SECONDS = 1.0  # for launchers to end by themselves after the first one
_END_SECONDS = 10.0


class RayRun:
    """A run on machines of a Ray cluster.

    Arguments:
        given: the options of the launcher.
        arguments: those of the Python interpreter for this run, with the option `--ray`.
    """

    def __init__(self, given: argparse.Namespace, arguments: Sequence[str]) -> None:
        self._given, self._arguments = given, list(arguments)
        self._nnodes = given.nnodes or 1
        self._ray, self._is_own_connection = connected_ray("facula run")
        self._ray.cloudpickle.register_pickle_by_value(ray_node)
        self._nodes: dict[int, Any] = {}  # actors
        self._copies = Copies(self._ray, self._nodes, self._nnodes) if self._nnodes > 1 and given.max_restarts else None
        self._signal: int | None = None

    def run(self) -> int:
        """Run until the end, and return the exit code."""
        former = {number: signal.signal(number, self._note_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            return self._run()
        except OperationError as error:
            say(str(error).removeprefix("facula run: "))
            return 1
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
            for node in self._nodes.values():
                self._ray.kill(node)
            if self._is_own_connection:
                self._ray.shutdown()

    def _note_signal(self, number: int, frame: object) -> None:
        self._signal = number

    def _run(self) -> int:
        restarts = 0
        while True:
            self._place(restarts)
            if self._copies is not None:
                self._copies.start()
            code, lost = self._watch()
            if self._copies is not None:
                self._copies.stop()
            if not lost or self._signal is not None:
                return code
            for node, text in lost.items():
                say(f"node {node} was lost: {text}")
            if restarts == self._given.max_restarts:
                say(f"the run ends after {restarts} restarts; --max-restarts sets the limit")
                return code or 1
            restarts += 1
            say(f"restart {restarts}: Ray starts all nodes again")

    def _place(self, restarts: int) -> None:
        """Create missing actors, wait for all, and start the launchers."""
        for node in range(self._nnodes):
            if node not in self._nodes:
                self._nodes[node] = self._new_node(node)
        addresses = self._addresses()
        host, port = addresses[0]
        if len({other for other, _ in addresses}) == 1:
            host = "127.0.0.1"
        if self._copies is not None:
            self._copies.restore()
        environment = {
            **os.environ, TOKEN_VARIABLE: secrets.token_hex(16), RESTARTS_VARIABLE: str(restarts),
            "RAY_ADDRESS": self._ray.get_runtime_context().gcs_address,
        }  # fmt: skip
        if self._copies is not None:
            environment.setdefault(PAUSE_VARIABLE, str(KEEP_SECONDS))
        place = self._arguments.index("--ray")
        started = []
        for node, actor in self._nodes.items():
            options = ["--node-rank", str(node), "--master", f"{host}:{port}"] if self._nnodes > 1 else []
            arguments = [*self._arguments[:place], *options, *self._arguments[place + 1 :]]
            started.append(actor.start.remote(arguments, environment, os.getcwd()))
        for ref in started:
            with suppress(self._ray.exceptions.RayActorError):  # `_watch` finds it, too
                self._ray.get(ref)

    def _addresses(self) -> list[tuple[str, int]]:
        """Return the address of each actor's machine, and a free port there."""
        begun, is_said = time.monotonic(), False
        while True:
            asked = {node: actor.address.remote() for node, actor in self._nodes.items()}
            while True:
                _, missing = self._ray.wait(list(asked.values()), num_returns=len(asked), timeout=_POLLING_SECONDS)
                if self._signal is not None:
                    raise OperationError("facula run: a signal came before the run had begun; start it again")
                waited = time.monotonic() - begun
                if not missing:
                    break
                what = f"{self._nnodes} actors with {self._given.nproc} CPUs each"
                if waited > self._given.join_timeout:
                    raise OperationError(
                        f"facula run: expected room for {what} in the Ray cluster within "
                        f"{self._given.join_timeout:g} s; {len(missing)} have none; add machines, or lower --nproc"
                    )
                if waited > _PATIENCE_SECONDS and not is_said:
                    say(f"waits for Ray: {what}")
                    is_said = True
            found = []
            for node, ref in asked.items():
                try:
                    found.append(self._ray.get(ref))
                except self._ray.exceptions.RayActorError:  # it was lost meanwhile
                    self._nodes[node] = self._new_node(node)
            if len(found) == self._nnodes:
                return found

    def _new_node(self, node: int) -> Any:
        nproc = self._given.nproc
        kind = self._ray.remote(ray_node.Node).options(num_cpus=nproc, scheduling_strategy="SPREAD")
        return kind.remote(range(node * nproc, (node + 1) * nproc), self._nnodes * nproc)

    def _watch(self) -> tuple[int, dict[int, str]]:
        """Print output until all launchers have ended; return the exit code, and why nodes were lost."""
        reading = {actor.read.remote(): node for node, actor in self._nodes.items()}
        codes: dict[int, int] = {}
        lost: dict[int, str] = {}
        ending, is_stopped = None, False
        while reading:
            ready, _ = self._ray.wait(list(reading), timeout=_POLLING_SECONDS)
            for ref in ready:
                node = reading.pop(ref)
                try:
                    output, code = self._ray.get(ref)
                except self._ray.exceptions.RayError as error:
                    lost[node] = f"its Ray actor has ended: {first_line(error)}"
                    del self._nodes[node]
                    continue
                for name, data in output:
                    with suppress(BrokenPipeError):
                        getattr(sys, name).buffer.write(data)
                        getattr(sys, name).buffer.flush()
                if code is None:
                    reading[self._nodes[node].read.remote()] = node
                    continue
                codes[node] = code
                if code < 0 and not is_stopped:
                    lost[node] = f"its launcher was ended by {signal.Signals(-code).name}"
            now = time.monotonic()
            if ending is None and (self._signal is not None or lost or any(codes.values())):
                ending = now
            if ending is None:
                continue
            if not is_stopped and (self._signal is not None or now > ending + _GRACE_SECONDS):
                is_stopped = True
                for node in reading.values():
                    self._nodes[node].stop.remote(self._signal or signal.SIGTERM)
            if now > ending + _END_SECONDS:
                for node in reading.values():
                    lost[node] = "its launcher did not end with the others"
                    self._ray.kill(self._nodes.pop(node))
                break
        if self._signal is not None:
            return 128 + self._signal, lost
        return next((code for code in codes.values() if code > 0), 0), lost
