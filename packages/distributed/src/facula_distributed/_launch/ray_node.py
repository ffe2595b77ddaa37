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
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WAIT_SECONDS = 0.2  # in `read`, after which other calls have their turn
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def _end_with_actor() -> None:
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)


class Node:
    """A machine: its launcher, and the memory in which ranks keep their state, which outlives launchers.

    Its methods run in the main thread, which lives as long as the process.
    """

    def __init__(self) -> None:
        self._state = os.memfd_create("facula-state", 0)
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
