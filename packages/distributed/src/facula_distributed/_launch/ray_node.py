"""The Ray actor that runs the launcher of one machine. Ray pickles it: it imports only the standard library."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WAIT_SECONDS = 0.2  # in `read`, after which other calls have their turn
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def _end_with_actor() -> None:
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)


class Node:
    """A machine: its launcher, and the memory in which ranks keep their state, which outlives launchers.

    Its methods run in the main thread, which lives as long as the process.

    Arguments:
        ranks: the ranks of this machine.
        world: the number of all ranks.
    """

    def __init__(self, ranks: range, world: int) -> None:
        self._ranks, self._world = ranks, world
        self._state = os.memfd_create("facula-state", 0)
        self._slots: Any = None
        self._own: dict[int, list[bytes]] = {}  # copies of the ranks' state, by step: Note [Ring of copies]
        self._others: dict[int, list[bytes]] = {}  # those of the machine before
        self._process: subprocess.Popen[bytes] | None = None
        self._targets: dict[int, str] = {}

    def address(self) -> tuple[str, int]:
        """Return the address of this machine, and a free port."""
        import ray.util

        with socket.socket() as found:
            found.bind(("", 0))
            return ray.util.get_node_ip_address(), int(found.getsockname()[1])

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], folder: str) -> int:
        """Start the launcher, and return its process id.

        Arguments:
            arguments: of the Python interpreter.
            environment: environment variables; FACULA_KEPT_STATE is added.
            folder: the folder in which it runs; if this machine does not have it, the present one.
        """
        process = subprocess.Popen(
            [sys.executable, *arguments], env={**environment, "FACULA_KEPT_STATE": str(self._state)},
            cwd=folder if os.path.isdir(folder) else None, pass_fds=[self._state], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_end_with_actor,
        )  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        self._process, self._targets = process, {process.stdout.fileno(): "stdout", process.stderr.fileno(): "stderr"}
        return process.pid

    def read(self) -> tuple[list[tuple[str, bytes]], int | None]:
        """Wait a moment; return new output, by the name of the stream, and the exit code after the end."""
        process, found = self._process, []
        assert process is not None
        ready, _, _ = select.select(list(self._targets), [], [], _WAIT_SECONDS if self._targets else 0)
        for fd in ready:
            data = os.read(fd, 1 << 16)
            if data:
                found.append((self._targets[fd], data))
            else:
                del self._targets[fd]
        return found, process.wait() if not self._targets else None

    def stop(self, number: int) -> None:
        """Send a signal to the launcher; SIGKILL also to processes that it started in its session."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def steps(self) -> list[int]:
        """Return the steps that all ranks of this machine have kept."""
        if self._slots is None:
            from facula_distributed._board.slots import Slots

            self._slots = Slots.create(self._world, self._state)
        found: list[int] = self._slots.common_steps(self._ranks)
        return found

    def copy(self, step: int, former: int | None) -> list[bytes] | None:
        """Copy the state of the ranks after a step; None if it was overwritten. Keep the copy, and that of `former`."""
        found = [self._slots.copy(rank, step) for rank in self._ranks]
        self._own = {kept: copy for kept, copy in self._own.items() if kept == former}
        if any(one is None for one in found):
            return None
        self._own[step] = found
        return found

    def receive(self, step: int, copy: list[bytes] | None, former: int | None) -> bool:
        """Keep a copy of the machine before this one, and that of `former`. Return whether there was one."""
        self._others = {kept: other for kept, other in self._others.items() if kept == former}
        if copy is not None:
            self._others[step] = copy
        return copy is not None

    def received(self, step: int) -> list[bytes]:
        """Return the copy of the machine before this one."""
        return self._others[step]

    def restore(self, step: int, copy: list[bytes] | None) -> None:
        """Make a copy, by default the own one, the state that the ranks have kept. No launcher may run."""
        self.steps()
        for rank, data in zip(self._ranks, self._own[step] if copy is None else copy, strict=True):
            self._slots.restore(rank, step, data)
