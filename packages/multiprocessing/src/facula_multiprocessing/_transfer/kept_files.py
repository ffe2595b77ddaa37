"""The memory of child processes, which their parent keeps open until what they sent is received.

Note [Kept files]
~~~~~~~~~~~~~~~~~
The descriptors of a process end with it, and what it sent may still be on its way. So the file of a child's arena is
made by the parent, empty, and the child opens it by /proc when it first shares something. A message names both
descriptors, and a receiver looks at the sender's first. The parent closes its own when the child has ended and all of
its messages are received: nothing is in flight any more, nor held by a third process, which could send it on. What
is in flight from a child that a signal ended is given up with it; and what is never received must not take all
descriptors, so the oldest files are closed where a quarter of the limit are in use.

It takes a descriptor a child, no memory and no message. Where the file cannot be made or opened, the child makes its
own.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from multiprocessing import process
from threading import Lock
from typing import TYPE_CHECKING, Any

from .._arenas.ledger import claim, in_use

if TYPE_CHECKING:
    from collections.abc import Callable


class KeptFiles:
    """The files that this process keeps for its children."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._living: dict[int, tuple[int, process.BaseProcess]] = {}  # descriptors and processes, by inode
        self._ended: dict[int, int] = {}  # descriptors of which something is in use

    def add(self, child: process.BaseProcess) -> None:
        """Make the file of a process that is about to start. Nothing where there can be none."""
        child.__dict__.pop("_kept_file", None)
        try:
            os.stat("/proc/self/fd")
            fd = os.memfd_create("facula", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        except OSError:
            return
        inode = os.fstat(fd).st_ino
        with self._lock:
            self._living[inode] = fd, child
        child.__dict__["_kept_file"] = os.getpid(), fd, inode

    def drop(self, child: process.BaseProcess) -> None:
        """Close the file of a process that did not start."""
        with self._lock:
            for inode, (fd, one) in list(self._living.items()):
                if one is child:
                    del self._living[inode]
                    os.close(fd)

    def settle(self, held_here: Callable[[int], int]) -> None:
        """Close the files of children that have ended, where nothing of them is in use.

        Arguments:
            held_here: the number by which this process holds blocks of an arena, by inode; 0 where it holds none.
        """
        with self._lock:
            for inode, (fd, child) in list(self._living.items()):
                popen: Any = child._popen  # type: ignore[attr-defined]
                code = (
                    0 if popen is None else popen.returncode
                )  # what was read: asking could reap it for another thread
                if code is not None and (popen is not None or child._closed):  # type: ignore[attr-defined]
                    del self._living[inode]
                    if code < 0:
                        os.close(fd)
                    else:
                        self._ended[inode] = fd
            for inode in list(self._ended):
                self._settle(inode, held_here)
            while len(self._ended) > max(16, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4):
                os.close(self._ended.pop(next(iter(self._ended))))

    def received(self, inode: int, held_here: Callable[[int], int]) -> None:
        """Close the file of an arena of which a message was received, where that was the last."""
        if inode in self._ended:
            with self._lock:
                self._settle(inode, held_here)

    def _settle(self, inode: int, held_here: Callable[[int], int]) -> None:
        fd = self._ended.get(inode)
        if fd is not None and not in_use(fd, held_here(inode)):
            del self._ended[inode]
            os.close(fd)

    def close(self) -> None:
        """Close all, in a forked child."""
        for fd in (*(fd for fd, _ in self._living.values()), *self._ended.values()):
            with suppress(OSError):  # another thread of the parent was closing it
                os.close(fd)


_files = [KeptFiles()]


def kept_files() -> KeptFiles:
    """The files that this process keeps."""
    return _files[0]


def claimed_file() -> tuple[int, tuple[int, int]] | None:
    """The file that the parent keeps for this process, opened here: a descriptor, and the parent's id and descriptor.

    Returns:
        None where there is none, or it is in use.
    """
    kept = process.current_process().__dict__.get("_kept_file")
    if kept is None:
        return None
    pid, number, inode = kept
    try:
        fd = os.open(f"/proc/{pid}/fd/{number}", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    if os.fstat(fd).st_ino == inode and claim(fd):
        return fd, (pid, number)
    os.close(fd)
    return None


def _after_in_child() -> None:
    _files[0].close()
    _files[0] = KeptFiles()


os.register_at_fork(after_in_child=_after_in_child)
