"""One attempt of a run: ranks of a program, from their start until all have ended."""

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
from .._board.world import BOARD_VARIABLE, JOB_VARIABLE
from .output import Output, say
from .rank import LIFE_VARIABLE
from .watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_POLLING_SECONDS = 0.1
_GRACE_SECONDS = 0.5  # for ranks to end by themselves after another one failed
_LAST_SECONDS = 0.3  # between SIGTERM and SIGKILL
_INTERRUPT_SECONDS = 5.0  # for ranks to end after Ctrl-C


class Plan(NamedTuple):
    """The program to start, and its options.

    Fields:
        command: the program of each rank.
        nproc: the number of ranks.
        timeout: seconds after which a rank that others wait for is a failure.
        warn_after: seconds after which it is reported.
        log_dir: a folder for copies of the ranks' output, or None.
        max_restarts: how often all ranks are started again without progress in between.
    """

    command: Sequence[str]
    nproc: int
    timeout: float
    warn_after: float
    log_dir: str | None
    max_restarts: int


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
    """

    def __init__(self, plan: Plan, variables: Mapping[str, str], fds: Sequence[int], number: int) -> None:
        self._board = Board.create(plan.nproc)
        self._watcher = Watcher(self._board, say, plan.warn_after, plan.timeout)
        self._signal: int | None = None
        self._selector = selectors.DefaultSelector()
        life, self._life = os.pipe()
        errors = os.dup(2)  # this process's own, because the ranks' output ends with it
        common = {
            **os.environ, **variables, "WORLD_SIZE": str(plan.nproc), "LOCAL_WORLD_SIZE": str(plan.nproc),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port()), "PYTHONUNBUFFERED": "1",
            JOB_VARIABLE: f"facula {secrets.token_hex(16)}", BOARD_VARIABLE: f"{self._board.fd}:{plan.nproc}",
            LIFE_VARIABLE: f"{life}:{errors}", "GROUP_RANK": "0", "ROLE_RANK": "0",
            "TORCHELASTIC_RESTART_COUNT": str(number), "TORCHELASTIC_MAX_RESTARTS": str(plan.max_restarts),
        }  # fmt: skip
        common.setdefault("FACULA_NUM_THREADS", str(max(1, len(os.sched_getaffinity(0)) // plan.nproc)))
        inherited = [self._board.fd, life, errors, *fds]
        self._ranks: list[_Rank] = []
        try:
            for rank in range(plan.nproc):
                own = {**common, "RANK": str(rank), "LOCAL_RANK": str(rank)}
                outputs = [Output(rank, name, plan.log_dir, is_continued=number > 0) for name in ("stdout", "stderr")]
                self._ranks.append(_Rank(rank, plan.command, own, inherited, outputs))
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
        next_look, interrupted = time.monotonic() + self._watcher.interval, None
        while any(one.code is None for one in self._ranks):
            self._read(_POLLING_SECONDS)
            now = time.monotonic()
            if self._signal is not None:
                interrupted = interrupted or now
                if now > interrupted + _INTERRUPT_SECONDS:
                    break
                continue
            failed = next((one for one in self._ranks if one.code), None)
            if failed is not None:
                return self._after_failure(failed)
            if now > next_look:
                next_look = now + self._watcher.interval
                late = self._watcher.look()
                if late is not None:
                    self._board.fail(*late)
                    return self._finish(late[1], 1)
        if self._signal is not None:
            return 128 + self._signal
        failed = next((one for one in self._ranks if one.code), None)
        return 0 if failed is None else self._after_failure(failed)

    def _after_failure(self, failed: _Rank) -> int:
        """End all ranks after the first one that failed, and return its exit code."""
        failure = self._board.failure()
        if failure is not None and self._ranks[failure[0]].code:
            failed = self._ranks[failure[0]]
        failed = next((one for one in self._ranks if (one.code or 0) < 0), failed)
        code = failed.code or 0
        # A rank that raises describes its exception, and ends with 1. Other ranks cannot describe another exit code.
        if failure is not None and code > 0 and (code == 1 or failed.rank != failure[0]):
            return self._finish(failure[1], code)
        how = f"was ended by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
        group, record = self._board.latest(failed.rank)
        where = "before its first collective"
        if record is not None:
            where = f"{'after' if record.ended else 'in'} its {numbered(group, record)}"
        text = f"rank {failed.rank} {how}, {where}"
        self._board.fail(failed.rank, text)
        return self._finish(text, code if code > 0 else 128 - code)

    def _finish(self, text: str, code: int) -> int:
        begun = time.monotonic()
        say(text)
        for one in self._ranks:
            if one.code is None:
                for group, record in self._board.running(one.rank):
                    say(f"  rank {one.rank} waits since {begun - record.begun:.1f} s in {numbered(group, record)}")
        self._wait(begun + _GRACE_SECONDS)
        self._end_all()
        say(f"all ranks ended {time.monotonic() - begun:.2f} s after this was detected")
        return code

    def _read(self, seconds: float) -> None:
        """Pass on output, for some time, or until a process ends."""
        for key, _ in self._selector.select(seconds):
            output: Output | None = key.data
            if output is None or not output.read():
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
        with suppress(OSError):
            os.close(self._life)
            os.close(self._board.fd)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _free_port() -> int:
    """Return a free port for programs that read MASTER_PORT; the ranks of this package do not need it."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
