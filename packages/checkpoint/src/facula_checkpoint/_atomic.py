"""Atomic replacement of files.

Note [Replacing a file]
~~~~~~~~~~~~~~~~~~~~~~~
The new contents are written to a temporary file in the same directory and flushed to disk (fsync). The temporary file
is renamed over the old file, and the directory is flushed. At any time, a process that opens the path finds either the
complete old file or the complete new one; a process that has mapped the old file keeps it.

A killed process leaves its unfinished file behind. Each save holds a lock (flock) on its temporary file, which the
kernel releases with the process. The next save to the same path can therefore distinguish abandoned files, whose lock
is free, from files of concurrent saves, and removes the abandoned ones.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from facula_errors import DirectoryError, FileAccessError, FileError, MissingFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FULL = (errno.ENOSPC, errno.EDQUOT)
_SUFFIX = ".facula-part"
_RANDOM = 16  # hexadecimal digits


@contextmanager
def replacing(path: str) -> Iterator[int]:
    """Return a descriptor to write to; when the block ends without an error, the file replaces `path`.

    The mode and, if permitted, the owner of an existing file are kept. A symbolic link is kept and its target replaced;
    other hard links keep the old contents. On failure it raises OSError with `path`, and the file is unchanged. A
    write-protected path, a directory or a device is rejected.
    """
    if not path:
        raise MissingFileError(errno.ENOENT, "save: expected a path for a file; this one is empty", path)
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    old = _regular(path, target)
    try:
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        why = (
            f"there is no folder {folder!r}; make it first"
            if error.errno == errno.ENOENT
            else f"{error.strerror}; check the path"
        )
        raise FileError(error.errno, f"save: {why}", path) from None
    try:
        try:
            _remove_abandoned(directory, name)
            file, temporary = _create(directory, name, 0o666 if old is None else stat.S_IMODE(old.st_mode) & 0o777)
            try:
                yield file
                if old is not None:
                    _copy_owner_and_mode(file, old)
                os.fsync(file)
                os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
            except BaseException:
                with suppress(OSError):
                    os.unlink(temporary, dir_fd=directory)
                raise
            finally:
                os.close(file)
        except OSError as error:
            before = "there was no file before, and there is none" if old is None else "the old file is as it was"
            remedy = "free space, or save elsewhere" if error.errno in _FULL else "save elsewhere"
            raise FileError(error.errno, f"save: {error.strerror}; {before}; {remedy}", path) from None
        try:
            os.fsync(directory)
        except OSError as error:
            if error.errno != errno.EINVAL:  # some network file systems do not support this for directories
                raise
    finally:
        os.close(directory)


def write_all(file: int, data: bytes | memoryview) -> None:
    """Write all of `data`: the system may write less per call (2 GiB, or up to a limit)."""
    left = memoryview(data)
    while left:
        left = left[os.write(file, left) :]


def _regular(path: str, target: str) -> os.stat_result | None:
    """Return the status of the file to replace, or None if there is no such file."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(error.errno, f"save: {error.strerror}; check the path", path) from error
    if stat.S_ISDIR(old.st_mode):
        raise DirectoryError(errno.EISDIR, "save: expected a path for a file; this is a directory", path)
    if not stat.S_ISREG(old.st_mode):
        raise FileError(
            errno.EINVAL, "save: expected a regular file to replace; this is a device, pipe or socket", path
        )
    if not os.access(target, os.W_OK, effective_ids=True):  # a rename would ignore write protection
        raise FileAccessError(errno.EACCES, "save: the file is write-protected; choose another path", path)
    return old


def _prefix(name: str) -> str:
    return "." + os.fsdecode(os.fsencode(name)[:150]) + "."  # names have at most 255 bytes


def _create(directory: int, name: str, mode: int) -> tuple[int, str]:
    """Create a locked file next to `name`, and return its descriptor and name."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    while True:
        temporary = f"{_prefix(name)}{os.urandom(_RANDOM // 2).hex()}{_SUFFIX}"
        file = os.open(temporary, flags, mode, dir_fd=directory)
        with suppress(OSError):  # without locks on this file system, no file is considered abandoned
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file).st_nlink:
            return file, temporary
        os.close(file)  # between the two calls another save considered it abandoned


def _remove_abandoned(directory: int, name: str) -> None:
    prefix = _prefix(name)
    length = len(prefix) + _RANDOM + len(_SUFFIX)
    with os.scandir(directory) as listing:
        found = [entry.name for entry in listing if entry.name.startswith(prefix) and entry.name.endswith(_SUFFIX)]
    for temporary in found:
        if len(temporary) != length:
            continue
        with suppress(OSError):  # in use, owned by another user, or removed
            file = os.open(temporary, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(temporary, dir_fd=directory)
            finally:
                os.close(file)


def _copy_owner_and_mode(file: int, old: os.stat_result) -> None:
    """Copy the owner, if permitted, then the mode: a change of owner clears some of the mode's bits."""
    with suppress(PermissionError):
        os.fchown(file, old.st_uid, old.st_gid)
    os.fchmod(file, stat.S_IMODE(old.st_mode))
