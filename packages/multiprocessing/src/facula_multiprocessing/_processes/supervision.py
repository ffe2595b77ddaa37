"""Detection of the end of parent and child processes, and reports of their stacks.

Note [Who holds which end]
~~~~~~~~~~~~~~~~~~~~~~~~~~
The end of a process is detected by its pipes: the kernel closes them, for any cause, and the other side reads the end
of the file. This requires that no other process has the same end open. A forked child inherits all of its parent's
descriptors. Therefore this module lists the ends that belong to a parent, and each child closes its copies right after
the fork. (The kernel's own signal at the end of a parent would watch the wrong process, because a child of a fork
server is not forked from its parent.)
"""

from __future__ import annotations

import faulthandler
import fcntl
import os
import signal
from threading import Thread
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Closable(Protocol):
    """An object with an end that children must not keep open."""

    def close(self) -> None: ...


_ends: dict[int, Closable] = {}


def keep_from_children(end: Closable) -> None:
    """Close `end` in each child forked from now on, so that the pipe ends with this process."""
    _ends[id(end)] = end


def no_longer_kept(end: Closable) -> None:
    """Remove `end`, which this process closes."""
    _ends.pop(id(end), None)


def _close_in_child() -> None:
    for end in list(_ends.values()):
        end.close()
    _ends.clear()


os.register_at_fork(after_in_child=_close_in_child)


def end_with(life: Connection) -> None:
    """Exit this process immediately when the other end of `life` is closed."""

    def wait() -> None:
        try:
            life.poll(None)
        finally:
            os._exit(1)

    Thread(target=wait, daemon=True, name="facula: end with the parent").start()


class Stacks:
    """The stacks of another process, on demand.

    Create the object before the process. Call `answer` in the process, and in the parent `ask`, then `read` until
    `is_complete`.
    """

    __slots__ = ("_fd",)

    def __init__(self) -> None:
        self._fd = os.memfd_create("facula-stacks", os.MFD_CLOEXEC)
        # The writer may still write the last answer when the next is requested: appending avoids a hole in the file.
        fcntl.fcntl(self._fd, fcntl.F_SETFL, os.O_APPEND)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        from multiprocessing.reduction import DupFd

        return _stacks, (DupFd(self._fd),)

    @classmethod
    def over(cls, fd: int) -> Stacks:
        """Return the stacks whose file another process created; the new object takes over the descriptor."""
        made = cls.__new__(cls)
        made._fd = fd
        return made

    def fileno(self) -> int:
        """Return the descriptor of the file with the answer."""
        return self._fd

    def answer(self) -> None:
        """Write the stacks of all threads on SIGUSR1; called in the observed process."""
        faulthandler.register(signal.SIGUSR1, file=self._fd, all_threads=True)

    def ask(self, pid: int) -> None:
        """Request the stacks of the process, which may have ended."""
        os.truncate(self._fd, 0)
        try:
            os.kill(pid, signal.SIGUSR1)
        except ProcessLookupError:
            pass

    def read(self) -> str:
        """Return the answer so far; empty before the process answers or if it cannot."""
        return os.pread(self._fd, 1 << 16, 0).decode(errors="replace")

    def is_complete(self, pid: int) -> bool:
        """Return whether the process has written its whole answer; False without /proc."""
        if not self.read():
            return False
        try:
            with open(f"/proc/{pid}/status") as file:
                masks = [line.split()[1] for line in file if line.startswith(("SigPnd", "ShdPnd", "SigBlk"))]
        except OSError:
            return False
        # A signal is pending until its handler begins, and blocked until the handler ends.
        return not any(int(mask, 16) >> (signal.SIGUSR1 - 1) & 1 for mask in masks)

    def close(self) -> None:
        """Close the descriptor."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _stacks(descriptor: object) -> Stacks:
    return Stacks.over(descriptor.detach())  # type: ignore[attr-defined]
