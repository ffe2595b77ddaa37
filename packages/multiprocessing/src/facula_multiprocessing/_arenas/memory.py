"""Anonymous shared memory of the kernel: reserved completely before use, and freed without cleanup.

Note [Memory without a name]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~
A memfd is a file without a name. It exists as long as a process has it open or mapped. The kernel frees it when the
last such process ends, for any reason, and `/dev/shm` with its size limit and leftover files is not involved. The
drawback is that a memfd can be created with any size: pages are allocated when they are first written, and if a
container has no memory left, the writer is killed. Therefore `reserve` allocates the pages at once (posix_fallocate),
after checking the available memory of the machine and of the control groups, and raises an error if it is too small.
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

CACHE_SECONDS = 0.1  # seconds for which an answer of the kernel remains valid
SUFFICIENT_FACTOR = 8  # a cached answer of so many times the requested amount is sufficient

_MEMINFO = "/proc/meminfo"
_GROUPS = "/proc/self/cgroup"
_ROOT = "/sys/fs/cgroup"
_SEALS = ("F_SEAL_SHRINK", "F_SEAL_GROW", "F_SEAL_SEAL")  # so that truncation cannot remove the pages of a mapping


def create(nbytes: int, fd: int | None = None) -> int:
    """Create shared memory with room for `nbytes`, not reserved yet, and return its descriptor.

    Arguments:
        nbytes: the size.
        fd: the descriptor of an empty file, which this function takes over; by default a new file.

    Raises:
        SharedMemoryError: the process may not create files of this size, or has no descriptors left.
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
    """Reserve the pages of `nbytes` from `offset` on, so that writing to them cannot fail.

    Arguments:
        fd: the descriptor that `create` returned.
        offset: the start of the first page.
        nbytes: the number of bytes to reserve.

    Raises:
        SharedMemoryError: the machine, a control group or a limit of the process leaves too little. No pages are then
            reserved.
    """
    available = headroom(enough=SUFFICIENT_FACTOR * nbytes)
    if available is not None and nbytes > available:
        raise SharedMemoryError(
            f"shared memory: {_shown(nbytes)} requested, {_shown(available)} left within the limits of the machine and "
            "its containers; use smaller or fewer batches, fewer workers, or free memory",
            nbytes,
            available,
        )
    try:
        os.posix_fallocate(fd, offset, nbytes)
    except OSError as error:
        raise _no_room(error, nbytes, available) from None
    _last.left -= nbytes


def give_back(mapping: mmap.mmap, offset: int, nbytes: int) -> bool:
    """Return the unused pages of `nbytes` from `offset` on to the kernel; return False if that fails."""
    try:
        mapping.madvise(mmap.MADV_REMOVE, offset, nbytes)
    except OSError:
        return False
    _last.left += nbytes
    return True


class _Last:
    """The kernel's last answer about available memory, minus later reservations, and its time: queries are slow."""

    __slots__ = ("left", "when")

    def __init__(self) -> None:
        self.left, self.when = 0, 0.0


_last = _Last()


def headroom(enough: int | None = None) -> int | None:
    """Return the number of available bytes: of the machine, and within each control group of this process.

    The result is None if the kernel does not provide the numbers.

    Arguments:
        enough: an amount for which a recent cached answer is sufficient. By default the kernel is queried.
    """
    now = monotonic()
    if enough is not None and now < _last.when + CACHE_SECONDS and _last.left >= enough:
        return _last.left
    left = _field(_text(_MEMINFO), "MemAvailable:")
    for folder, files in _groups():
        left = _left_in(folder, files, left)
    if left is None:
        return None
    _last.left, _last.when = max(0, left), now
    return _last.left


def largest_file() -> int | None:
    """Return the file size limit of this process (RLIMIT_FSIZE), in bytes; None if there is no limit."""
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
    """The files in which a version of control groups stores the limit, the usage, and the page cache in it."""

    limit: str
    usage: str
    cache: str


_VERSIONS = {
    "": _Files("memory.max", "memory.current", "inactive_file"),
    "memory": _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def _groups() -> list[tuple[str, _Files]]:
    """Return the folders of the control groups that limit this process's memory."""
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
    """Return the minimum of `least` and the memory left in a control group."""
    most = _text(f"{folder}/{files.limit}").strip()
    if not most.isdigit():  # "max" means no limit
        return least
    used = _text(f"{folder}/{files.usage}").strip()
    left = int(most) - int(used or 0)
    if least is not None and left >= least:
        return least
    left += _field(_text(f"{folder}/memory.stat"), files.cache) or 0  # the kernel reclaims the page cache on demand
    return left if least is None else min(least, left)


def _text(path: str) -> str:
    """Return the contents of a small file, or "" if it is missing."""
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
