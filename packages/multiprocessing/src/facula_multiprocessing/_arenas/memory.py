"""Shared memory that the kernel owns: reserved in whole before it is used, and nothing to clean up.

Note [Memory without a name]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~
A memfd is a file without a name. It lives as long as a process has it open or mapped, so the kernel frees it when the
last one ends, whatever ended it, and `/dev/shm`, its size and its leftovers do not matter. Its price is that it grows
to any size: pages are taken when they are first written, and a container without memory left then kills the writer.
So `reserve` takes the pages at once (posix_fallocate), after a look at what the machine and the control groups have
left, and says so in an error where there is too little.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import resource
from errno import EFBIG, ENOMEM, ENOSPC
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

from .._errors import SharedMemoryError

RECENT = 0.1  # seconds in which an answer of the kernel stands
MUCH = 8  # times what is asked for: with so much left there is no need to ask again

_MEMINFO = "/proc/meminfo"
_GROUPS = "/proc/self/cgroup"
_ROOT = "/sys/fs/cgroup"
_SEALS = ("F_SEAL_SHRINK", "F_SEAL_GROW", "F_SEAL_SEAL")  # so that nobody's truncation makes a mapping's pages vanish


def create(nbytes: int, fd: int | None = None) -> int:
    """The descriptor of new shared memory with room for `nbytes`, none of which is reserved yet.

    Arguments:
        nbytes: its size.
        fd: of an empty file to make it of, this function's from now on; by default a new one.

    Raises:
        SharedMemoryError: the process may make no file so large, or has no descriptor left.
    """
    try:
        if fd is None:
            fd = os.memfd_create("facula", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except OSError as error:
        raise SharedMemoryError(
            f"shared memory: no file descriptor is left ({error.strerror}); close files, or raise `ulimit -n`", nbytes
        ) from None
    try:
        os.ftruncate(fd, nbytes)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, sum(getattr(fcntl, seal) for seal in _SEALS))
    except OSError as error:
        os.close(fd)
        raise _no_room(error, nbytes, None) from None
    return fd


def reserve(fd: int, offset: int, nbytes: int) -> None:
    """Take the pages of `nbytes` from `offset` on, so that writing to them cannot fail.

    Arguments:
        fd: of the memory, as `create` gave it.
        offset: where the first page begins.
        nbytes: how much to take.

    Raises:
        SharedMemoryError: the machine, a control group or a limit of the process leaves too little. None are taken.
    """
    available = headroom(enough=MUCH * nbytes)
    if available is not None and nbytes > available:
        raise SharedMemoryError(
            f"shared memory: {_shown(nbytes)} asked for, {_shown(available)} left of what the machine and its "
            "containers allow; use smaller or fewer batches, fewer workers, or free memory",
            nbytes,
            available,
        )
    try:
        os.posix_fallocate(fd, offset, nbytes)
    except OSError as error:
        raise _no_room(error, nbytes, available) from None
    _last.left -= nbytes


def give_back(mapping: mmap.mmap, offset: int, nbytes: int) -> bool:
    """Let the kernel have the pages of `nbytes` from `offset` on, which nobody looks at; False where it takes none."""
    try:
        mapping.madvise(mmap.MADV_REMOVE, offset, nbytes)
    except OSError:
        return False
    _last.left += nbytes
    return True


class _Last:
    """What the kernel said last of the headroom, less what was reserved since, and when: to ask takes a while."""

    __slots__ = ("left", "when")

    def __init__(self) -> None:
        self.left, self.when = 0, 0.0


_last = _Last()


def headroom(enough: int | None = None) -> int | None:
    """Bytes that can still be taken: of the machine's memory, and in each control group that this process is in.

    None where the kernel does not say.

    Arguments:
        enough: what was found some milliseconds ago will do where it is so much. By default the kernel is asked.
    """
    now = monotonic()
    if enough is not None and now < _last.when + RECENT and _last.left >= enough:
        return _last.left
    left = _field(_text(_MEMINFO), "MemAvailable:")
    for folder, files in _groups():
        left = _left_in(folder, files, left)
    if left is None:
        return None
    _last.left, _last.when = max(0, left), now
    return _last.left


def largest_file() -> int | None:
    """The largest file that this process may make (RLIMIT_FSIZE), in bytes; None where there is no limit."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def _no_room(error: OSError, nbytes: int, available: int | None) -> SharedMemoryError:
    if error.errno == EFBIG:
        limit = largest_file()
        said = f"the process may make files of {_shown(limit)} at most" if limit is not None else error.strerror
        remedy = "raise `ulimit -f`"
    elif error.errno in (ENOSPC, ENOMEM):
        said, remedy = f"the kernel has not so much left ({error.strerror})", "free memory, or ask for less"
    else:
        said, remedy = str(error.strerror), "ask for less"
    return SharedMemoryError(f"shared memory: {_shown(nbytes)} asked for; {said}; {remedy}", nbytes, available)


class _Files(NamedTuple):
    """Where a version of control groups says what a group may take and takes, and what of that are files' pages."""

    limit: str
    usage: str
    cache: str


_VERSIONS = {
    "": _Files("memory.max", "memory.current", "inactive_file"),
    "memory": _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def _groups() -> list[tuple[str, _Files]]:
    """The folders of the control groups that limit this process's memory."""
    return _folders(_text(_GROUPS), _ROOT)


@lru_cache(8)
def _folders(groups: str, top: str) -> list[tuple[str, _Files]]:
    folders: list[tuple[str, _Files]] = []
    for line in groups.splitlines():
        _, controllers, place = line.split(":", 2)
        if controllers in _VERSIONS:
            parts = [part for part in place.split("/") if part]
            for count in range(len(parts), -1, -1):
                folders.append(("/".join([top, *filter(None, [controllers]), *parts[:count]]), _VERSIONS[controllers]))
    return folders


def _left_in(folder: str, files: _Files, least: int | None) -> int | None:
    """The less of `least` and what is left in a control group."""
    most = _text(f"{folder}/{files.limit}").strip()
    if not most.isdigit():  # "max" where there is no limit
        return least
    used = _text(f"{folder}/{files.usage}").strip()
    left = int(most) - int(used or 0)
    if least is not None and left >= least:
        return least
    left += _field(_text(f"{folder}/memory.stat"), files.cache) or 0  # files' pages are given back on demand
    return left if least is None else min(least, left)


def _text(path: str) -> str:
    """What a small file says; nothing where there is none."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(fd, 1 << 16).decode()
    except OSError:
        return ""
    finally:
        os.close(fd)


def _field(text: str, name: str) -> int | None:
    for line in text.splitlines():
        if line.startswith(name):
            number, *unit = line[len(name) :].split()
            return int(number) * (1024 if unit == ["kB"] else 1)
    return None


def _shown(nbytes: int) -> str:
    for unit, size in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if nbytes >= 1 << size:
            return f"{nbytes / (1 << size):.4g} {unit}"
    return f"{nbytes} bytes"
