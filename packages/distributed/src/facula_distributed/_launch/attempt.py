"""One attempt of a run: the ranks of this machine, from their start until all have ended."""

from __future__ import annotations

import os
import secrets
import selectors
import signal
import socket
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from .._board.board import Board, numbered
from .._board.world import BOARD_VARIABLE, JOB_VARIABLE, NODES_VARIABLE
from .._stores.tokens import TOKEN_VARIABLE
from .alone import Failure
from .links import Link
from .output import Output, say
from .rank import LIFE_VARIABLE
from .watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .alone import Alone
    from .places import Place

_POLLING_SECONDS = 0.1
_GRACE_SECONDS = 0.5  # for ranks to end by themselves after another one failed
_LAST_SECONDS = 0.3  # between SIGTERM and SIGKILL
_INTERRUPT_SECONDS = 5.0  # for ranks to end after Ctrl-C


class Plan(NamedTuple):
    """The program to start, and its options.

    Fields:
        command: the program of each rank.
        nproc: the number of ranks of this machine.
        timeout: seconds after which a rank that others wait for is a failure.
        warn_after: seconds after which it is reported.
        log_dir: a folder for copies of the ranks' output, or None.
        max_restarts: how often all ranks are started again without progress in between.
        place: the place of this machine among several, or None.
    """

    command: Sequence[str]
    nproc: int
    timeout: float
    warn_after: float
    log_dir: str | None
    max_restarts: int
    place: Place | None = None


class _Rank:
    """One process, and its output."""

    def __init__(
        self, rank: int, command: Sequence[str], environment: dict[str, str], fds: list[int], outputs: list[Output]
    ) -> None:
        self.rank, self.outputs = rank, outputs
        self.process = subprocess.Popen(
            command, env=environment, pass_fds=fds, start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=self.outputs[0].theirs, stderr=self.outputs[1].theirs,
        )  # fmt: skip
        for output in self.outputs:
            os.close(output.theirs)
        self.pidfd = os.pidfd_open(self.process.pid)

    def kill(self, number: int) -> None:
        """Send a signal to the process and those that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    @property
    def code(self) -> int | None:
        return self.process.poll()


class Attempt:
    """The ranks of one attempt.

    Arguments:
        plan: what to start.
        variables: environment variables of all ranks.
        fds: descriptors that all ranks inherit.
        number: how often the ranks were started before.
        machines: the launchers of all machines, which wait for each other here.

    Raises:
        OperationError: a machine was lost.
        InterruptError: a signal ended the run.
    """

    def __init__(
        self, plan: Plan, variables: Mapping[str, str], fds: Sequence[int], number: int, machines: Alone
    ) -> None:
        self._machines, node, world = machines, machines.node, machines.nnodes * plan.nproc
        self._board = Board.create(world)
        own = range(node * plan.nproc, (node + 1) * plan.nproc)
        interval = Watcher.interval_of(plan.warn_after, plan.timeout)
        try:
            ranks = machines.begin(number, self._board, own, interval)
        except BaseException:
            os.close(self._board.fd)
            raise
        self._watcher = Watcher(self._board, ranks, say, plan.warn_after, plan.timeout)
        self._end = f"ranks of attempt {number}"
        self._signal: int | None = None
        self._selector = selectors.DefaultSelector()
        life, self._life = os.pipe()
        errors = os.dup(2)  # this process's own, because the ranks' output ends with it
        common = {
            **os.environ, **variables, **_addresses(plan.place), "WORLD_SIZE": str(world),
            "LOCAL_WORLD_SIZE": str(plan.nproc), "PYTHONUNBUFFERED": "1", NODES_VARIABLE: str(machines.nnodes),
            JOB_VARIABLE: f"facula {secrets.token_hex(16)}", BOARD_VARIABLE: f"{self._board.fd}:{world}",
            LIFE_VARIABLE: f"{life}:{errors}", "GROUP_RANK": str(node), "GROUP_WORLD_SIZE": str(machines.nnodes),
            "TORCHELASTIC_RESTART_COUNT": str(number), "TORCHELASTIC_MAX_RESTARTS": str(plan.max_restarts),
        }  # fmt: skip
        common.setdefault("FACULA_NUM_THREADS", str(max(1, len(os.sched_getaffinity(0)) // plan.nproc)))
        inherited = [self._board.fd, life, errors, *fds]
        self._ranks: list[_Rank] = []
        try:
            for local, rank in enumerate(own):
                environment = {**common, "RANK": str(rank), "LOCAL_RANK": str(local), "ROLE_RANK": str(rank)}
                outputs = [Output(rank, name, plan.log_dir, is_continued=number > 0) for name in ("stdout", "stderr")]
                self._ranks.append(_Rank(rank, plan.command, environment, inherited, outputs))
        except BaseException:
            self._end_all()
            raise
        finally:
            os.close(life)
            os.close(errors)
        for one in self._ranks:
            self._selector.register(one.pidfd, selectors.EVENT_READ, None)
            for output in one.outputs:
                self._selector.register(output.fd, selectors.EVENT_READ, output)
        for link in machines.links:
            self._selector.register(link.socket, selectors.EVENT_READ, link)

    def run(self) -> int:
        """Wait for all ranks, and return the exit code: 0, or that of the first rank that failed."""
        try:
            return self._watch()
        finally:
            self._end_all()

    def interrupt(self, number: int) -> None:
        """Send a signal to all ranks; SIGKILL the second time."""
        for one in self._ranks:
            one.kill(number if self._signal is None else signal.SIGKILL)
        self._signal = number

    def _watch(self) -> int:
        machines, next_look, interrupted, is_failed = self._machines, 0.0, None, False
        while True:
            self._read(_POLLING_SECONDS)
            machines.poll()
            is_over = all(one.code is not None for one in self._ranks)
            if machines.signal is not None and self._signal is None:
                say(f"a launcher was ended by {_signal_name(machines.signal)}")
                self.interrupt(machines.signal)
            now = time.monotonic()
            if self._signal is not None:
                interrupted = interrupted or now
                if is_over or now > interrupted + _INTERRUPT_SECONDS:
                    return 128 + self._signal
                continue
            failed = next((one for one in self._ranks if one.code), None)
            if failed is not None and not is_failed:
                is_failed = True
                machines.fail(self._failure_of(failed))
            elif failed is None and is_over:  # wait for the other machines
                machines.offer(self._end, None)
                if machines.values(self._end) is not None:
                    return 0
            if machines.node == 0 and now > next_look and not is_failed:
                next_look = now + self._watcher.interval
                late = self._watcher.look()
                if late is not None:
                    machines.fail(Failure(*late, code=1))
            if machines.verdict is not None:
                return self._finish(machines.verdict)

    def _failure_of(self, failed: _Rank) -> Failure:
        """Describe the failure of the rank that failed first, of one that has."""
        failure, by_rank = self._board.failure(), {one.rank: one for one in self._ranks}
        if failure is not None and failure[0] in by_rank and by_rank[failure[0]].code:
            failed = by_rank[failure[0]]
        failed = next((one for one in self._ranks if (one.code or 0) < 0), failed)
        code = failed.code or 0
        # A rank that raises describes its exception, and ends with 1. Other ranks cannot describe another exit code.
        if failure is not None and code > 0 and (code == 1 or failed.rank != failure[0]):
            return Failure(*failure, code)
        how = f"was ended by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
        where = self._board.history(failed.rank)
        return Failure(failed.rank, f"rank {failed.rank} {how}, {where}", code if code > 0 else 128 - code, code < 0)

    def _finish(self, failure: Failure) -> int:
        """End all ranks after a failure, and return its exit code."""
        self._board.fail(failure.rank, failure.text)
        begun = time.monotonic()
        say(failure.text)
        for one in self._ranks:
            if one.code is None:
                for group, record in self._board.running(one.rank):
                    say(f"  rank {one.rank} waits since {begun - record.begun:.1f} s in {numbered(group, record)}")
        self._wait(begun + _GRACE_SECONDS)
        self._end_all()
        say(f"all ranks ended {time.monotonic() - begun:.2f} s after this was detected")
        return failure.code

    def _read(self, seconds: float) -> None:
        """Pass on output, for some time, or until a process ends."""
        for key, _ in self._selector.select(seconds):
            source: Output | Link | None = key.data
            if isinstance(source, Link):  # its messages are handled by `poll`
                is_open = not source.is_closed
            else:
                is_open = source is not None and source.read()
            if not is_open:
                self._selector.unregister(key.fileobj)

    def _wait(self, end: float) -> None:
        while any(one.code is None for one in self._ranks) and time.monotonic() < end:
            self._read(0.02)

    def _end_all(self) -> None:
        """End the running ranks and the processes that they started, and pass on their last output."""
        if any(one.code is None for one in self._ranks):
            for one in self._ranks:
                one.kill(signal.SIGTERM)
            self._wait(time.monotonic() + _LAST_SECONDS)
        for one in self._ranks:
            one.kill(signal.SIGKILL)
            one.process.wait()
            for output in one.outputs:
                output.read()
                output.close()
            os.close(one.pidfd)
        self._ranks.clear()
        self._selector.close()
        self._machines.end()
        with suppress(OSError):
            os.close(self._life)
            os.close(self._board.fd)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _addresses(place: Place | None) -> dict[str, str]:
    """Return the variables of the address at which the ranks of all machines meet."""
    if place is not None:
        return {"MASTER_ADDR": place.host, "MASTER_PORT": str(place.port), TOKEN_VARIABLE: place.token}
    with socket.socket() as free:  # for programs that read MASTER_PORT; the ranks of this package do not need it
        free.bind(("127.0.0.1", 0))
        return {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
