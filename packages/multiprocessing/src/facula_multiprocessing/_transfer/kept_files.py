"""Files of child processes' arenas that the parent keeps open until their messages are received.

Note [Kept files]
~~~~~~~~~~~~~~~~~
The descriptors of a process are closed when it ends, while its messages may still be in flight. Therefore the parent
creates the file of a child's arena, empty, and the child opens it by /proc when it first shares memory. A message names
both descriptors, and a receiver tries the sender's first. The parent closes its own descriptor when the child has
ended, no message is in flight, and no third process holds a block, which it could send on. If a signal ended the child,
its messages in flight are abandoned. Messages that are never received must not use up all descriptors, so the oldest
files are closed when they use a quarter of the limit.

The cost is one descriptor per child, and neither memory nor messages. If the file cannot be created or opened, the
child creates its own.
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
        # descriptors and processes of running children, by inode
        self._living: dict[int, tuple[int, process.BaseProcess]] = {}
        self._ended: dict[int, int] = {}  # descriptors of files that are still in use

    def add(self, child: process.BaseProcess) -> None:
        """Create the file of a process that is about to start, if possible."""
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
        """Close the file of a process that failed to start."""
        with self._lock:
            for inode, (fd, file) in list(self._living.items()):
                if file is child:
                    del self._living[inode]
                    os.close(fd)

    def settle(self, held_here: Callable[[int], int]) -> None:
        """Close the files of children that have ended and whose blocks are not in use.

        Arguments:
            held_here: returns, by inode, this process's holder number in an arena; 0 if it holds no blocks.
        """
        with self._lock:
            for inode, (fd, child) in list(self._living.items()):
                popen: Any = child._popen  # type: ignore[attr-defined]
                code = (
                    0 if popen is None else popen.returncode
                )  # the known return code: polling could reap the process of another thread
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
        """Close the file of an arena if the message just received was its last."""
        if inode in self._ended:
            with self._lock:
                self._settle(inode, held_here)

    def _settle(self, inode: int, held_here: Callable[[int], int]) -> None:
        fd = self._ended.get(inode)
        if fd is not None and not in_use(fd, held_here(inode)):
            del self._ended[inode]
            os.close(fd)

    def close(self) -> None:
        """Close all files, in a forked child."""
        for fd in (*(fd for fd, _ in self._living.values()), *self._ended.values()):
            with suppress(OSError):  # another thread of the parent was closing it
                os.close(fd)


_files = [KeptFiles()]


def kept_files() -> KeptFiles:
    """Return the files that this process keeps."""
    return _files[0]


def claimed_file() -> tuple[int, tuple[int, int]] | None:
    """Open the file that the parent keeps for this process: a descriptor, and the parent's id and descriptor.

    Returns:
        None if there is no such file, or it is in use.
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


def _renew_kept_files() -> None:
    _files[0].close()
    _files[0] = KeptFiles()


os.register_at_fork(after_in_child=_renew_kept_files)
