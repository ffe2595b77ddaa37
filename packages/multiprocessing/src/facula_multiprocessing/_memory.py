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
import os
import resource
from errno import EFBIG, ENOMEM, ENOSPC
from pathlib import Path

from ._errors import SharedMemoryError

__all__ = ["create", "headroom", "largest_file", "reserve"]

_GROUPS = Path("/proc/self/cgroup")
_ROOT = Path("/sys/fs/cgroup")
_SEALS = ("F_SEAL_SHRINK", "F_SEAL_GROW", "F_SEAL_SEAL")  # so that nobody's truncation makes a mapping's pages vanish


def create(nbytes: int) -> int:
    """The descriptor of new shared memory with room for `nbytes`, none of which is reserved yet.

    Raises:
        SharedMemoryError: the process may make no file so large, or has no descriptor left.
    """
    try:
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

    Raises:
        SharedMemoryError: the machine, a control group or a limit of the process leaves too little. None are taken.
    """
    available = headroom()
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


def headroom() -> int | None:
    """Bytes that can still be taken: of the machine's memory, and in each control group that this process is in.

    None where the kernel does not say.
    """
    found = [_left_in(group) for group in _groups()]
    found.append(_field(Path("/proc/meminfo"), "MemAvailable:"))
    known = [one for one in found if one is not None]
    return max(0, min(known)) if known else None


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


def _groups() -> list[Path]:
    """The folders of the control groups that limit this process's memory, the outermost last."""
    try:
        lines = _GROUPS.read_text().splitlines()
    except OSError:
        return []
    folders: list[Path] = []
    for line in lines:
        _, controllers, place = line.split(":", 2)
        if controllers in ("", "memory"):
            root = _ROOT / controllers
            inner = root / place.lstrip("/")
            folders += [one for one in (inner, *inner.parents) if one == root or root in one.parents]
    return folders


def _left_in(group: Path) -> int | None:
    for limit, usage, cache in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        most, used = _number(group / limit), _number(group / usage)
        if most is not None and used is not None:
            return most - used + (_field(group / "memory.stat", cache) or 0)  # files' pages are given back on demand
    return None


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None  # "max" where there is no limit


def _field(path: Path, name: str) -> int | None:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith(name):
            number, *unit = line[len(name) :].split()
            return int(number) * (1024 if unit == ["kB"] else 1)
    return None


def _shown(nbytes: int) -> str:
    for unit, size in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if nbytes >= 1 << size:
            return f"{nbytes / (1 << size):.4g} {unit}"
    return f"{nbytes} bytes"
