"""Parents and children that notice each other's death, and say where they were stuck.

Note [Who holds which end]
~~~~~~~~~~~~~~~~~~~~~~~~~~
The death of a process is seen by its pipes: the kernel closes them, whatever killed it, and the other end reads the
end of the file. That works as long as nobody else holds the dead one's end. A forked child has all of its parent's
descriptors; so the ends that belong to a parent are listed here, and each child closes its copies right after the
fork. (A child of a fork server is not forked from its parent, so the kernel's own signal at the death of a parent would
watch the wrong process.)
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
    """What has an end that children must not hold."""

    def close(self) -> None: ...


_ends: dict[int, Closable] = {}


def keep_from_children(end: Closable) -> None:
    """Close `end` in each child that is forked from now on, so that it ends with this process."""
    _ends[id(end)] = end


def no_longer_kept(end: Closable) -> None:
    """Forget `end`, which is closed here."""
    _ends.pop(id(end), None)


def _close_in_child() -> None:
    for end in list(_ends.values()):
        end.close()
    _ends.clear()


os.register_at_fork(after_in_child=_close_in_child)


def end_with(life: Connection) -> None:
    """End this process, whatever it is doing, when the other end of `life` is gone."""

    def wait() -> None:
        try:
            life.poll(None)
        finally:
            os._exit(1)

    Thread(target=wait, daemon=True, name="facula: end with the parent").start()


class Stacks:
    """The stacks of another process, on demand.

    Made before the process is: `answer` in it, `ask` in its parent, and then `read` until it `is_complete`.
    """

    __slots__ = ("_fd",)

    def __init__(self) -> None:
        self._fd = os.memfd_create("facula-stacks", os.MFD_CLOEXEC)
        # The writer may still be at the last answer when the next is asked for: it must not leave a hole.
        fcntl.fcntl(self._fd, fcntl.F_SETFL, os.O_APPEND)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        from multiprocessing.reduction import DupFd

        return _stacks, (DupFd(self._fd),)

    def answer(self) -> None:
        """In the process that is asked: write all threads' stacks at SIGUSR1."""
        faulthandler.register(signal.SIGUSR1, file=self._fd, all_threads=True)

    def ask(self, pid: int) -> None:
        """Ask the process, which may have ended."""
        os.truncate(self._fd, 0)
        try:
            os.kill(pid, signal.SIGUSR1)
        except ProcessLookupError:
            pass

    def read(self) -> str:
        """What it has answered so far; empty while it has not, or cannot."""
        return os.pread(self._fd, 1 << 16, 0).decode(errors="replace")

    def is_complete(self, pid: int) -> bool:
        """Whether the process has answered, and written all of it; False where there is no /proc."""
        if not self.read():
            return False
        try:
            with open(f"/proc/{pid}/status") as file:
                masks = [line.split()[1] for line in file if line.startswith(("SigPnd", "ShdPnd", "SigBlk"))]
        except OSError:
            return False
        # A signal is pending until its handler begins, and blocked until that has ended.
        return not any(int(mask, 16) >> (signal.SIGUSR1 - 1) & 1 for mask in masks)

    def close(self) -> None:
        """Give back the descriptor."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _stacks(descriptor: object) -> Stacks:
    made = Stacks.__new__(Stacks)
    made._fd = descriptor.detach()  # type: ignore[attr-defined]
    return made
