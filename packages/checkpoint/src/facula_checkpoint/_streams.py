"""Files: paths are opened; open files are read and written at their current position."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from errno import EAGAIN, EISDIR
from typing import BinaryIO, TypeAlias

from facula_errors import (
    BlockedFileError,
    DirectoryError,
    FileError,
    FileModeError,
    InvalidTypeError,
    InvalidValueError,
)

from ._errors import CheckpointError

File: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, or a file opened in binary mode."""

Readable: TypeAlias = io.BytesIO | io.FileIO | io.BufferedReader | io.BufferedRandom

_PIECE = 16 << 20  # bytes read at a time if the total is unknown


def resolved(operation: str, file: object, way: str) -> str | BinaryIO:
    """Return the path as text, or an open file after checking that it can be read or written.

    Arguments:
        operation: the prefix of error messages.
        file: a path or an open file.
        way: "read" or "write".

    Raises TypeError for other objects and for a file in text mode, ValueError for a closed file, and FileModeError (an
    io.UnsupportedOperation) for a file opened in another mode.
    """
    if isinstance(file, (str, bytes)) or hasattr(file, "__fspath__"):
        return os.fsdecode(file)
    mode = "wb" if way == "write" else "rb"
    if not hasattr(file, way):
        raise InvalidTypeError(
            f"{operation}: expected a path or a file opened with mode {mode!r}; got {type(file).__name__}"
        )
    if hasattr(file, "encoding"):
        raise InvalidTypeError(f"{operation}: {shown(file)} is open in text mode; open it with mode {mode!r}")
    if getattr(file, "closed", False) is True:
        raise InvalidValueError(f"{operation}: {shown(file)} is closed; open it with mode {mode!r}")
    able = getattr(file, "writable" if way == "write" else "readable", None)
    if able is not None and not able():
        raise FileModeError(
            f"{operation}: {shown(file)} is not open for {'writing' if way == 'write' else 'reading'}; "
            f"open it with mode {mode!r}"
        )
    return file  # type: ignore[return-value]  # as far as can be asked


def shown(file: object) -> str:
    """Return the name of a path or an open file for messages: its name, or its type."""
    if isinstance(file, (str, bytes)) or hasattr(file, "__fspath__"):
        return os.fsdecode(file)
    name = getattr(file, "name", None)
    return os.fsdecode(name) if isinstance(name, (str, bytes)) else f"<{type(file).__name__}>"


@contextmanager
def opened(path: str) -> Iterator[tuple[int, int]]:
    """Open a regular file and return its descriptor and size in bytes."""
    # Non-blocking, because opening a pipe would otherwise wait for a writer.
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise FileError(error.errno, f"load: {error.strerror}; check the path", path) from None
    try:
        status = os.fstat(file)
        if stat.S_ISDIR(status.st_mode):
            raise DirectoryError(EISDIR, "load: expected a file; this is a directory", path)
        if not stat.S_ISREG(status.st_mode):
            raise CheckpointError(path, "not a regular file, but a device, pipe or socket")
        yield file, status.st_size
    finally:
        os.close(file)


def why_readonly(path: str) -> str:
    return f"its memory is read-only (it is mapped from {path}); work on a clone, or load with copy=True"


def write_pieces(file: BinaryIO, pieces: Iterable[memoryview | bytes]) -> None:
    """Write all pieces; raise OSError with the file's name on failure."""
    for piece in pieces:
        left = memoryview(piece)
        while left:
            try:
                # Only Python's own files are known to keep no reference to their arguments.
                count = file.write(left if isinstance(file, io.IOBase) else bytes(left))
            except OSError as error:
                raise FileError(
                    error.errno, f"save: {error.strerror or error}; the file is not whole", shown(file)
                ) from error
            if count is None and isinstance(file, io.RawIOBase):
                raise BlockedFileError(
                    EAGAIN, f"save: {shown(file)} takes no more without blocking; the file is not whole"
                )
            left = left[len(left) if count is None else count :]


def take(file: BinaryIO, count: int) -> bytearray:
    """Return the next `count` bytes, or fewer at the end."""
    taken = bytearray()
    while len(taken) < count:
        piece = file.read(min(count - len(taken), _PIECE))
        if piece is None:
            raise BlockedFileError(EAGAIN, f"load: {shown(file)} has no more data without blocking")
        if not piece:
            break
        taken += piece
    return taken


def limited(file: BinaryIO, count: int) -> Readable:
    """Return a file with `readinto` that contains the next `count` bytes: `file`, or an in-memory copy.

    Raises CheckpointError if there are fewer bytes, before memory is allocated, because the count is untrusted.
    """
    if isinstance(file, (io.BytesIO, io.FileIO, io.BufferedReader, io.BufferedRandom)) and file.seekable():
        position = file.tell()
        left, source = file.seek(0, os.SEEK_END) - position, file
        file.seek(position)
    else:
        data = take(file, count)
        left, source = len(data), io.BytesIO(data)
    if left < count:
        raise CheckpointError(
            shown(file), f"its tensors take {count} bytes, of which there are {left}: it is truncated"
        )
    return source


def peeked(file: BinaryIO, count: int) -> tuple[bytes, BinaryIO]:
    """Return the next `count` bytes, and a file that will return them again: `file`, or a wrapper."""
    if isinstance(file, (io.BytesIO, io.FileIO, io.BufferedReader, io.BufferedRandom)) and file.seekable():
        position = file.tell()
        start = bytes(take(file, count))
        file.seek(position)
        return start, file
    start = bytes(take(file, count))
    return start, Again(start, file)  # type: ignore[return-value]


class Again:
    """A file wrapper that returns bytes again that were already read."""

    __slots__ = ("file", "start")

    def __init__(self, start: bytes, file: BinaryIO) -> None:
        self.start, self.file = start, file

    @property
    def name(self) -> str:
        """The name of the file, for messages."""
        return shown(self.file)

    def read(self, count: int) -> bytes | None:
        """Return the next bytes, at most `count`."""
        if self.start:
            taken, self.start = self.start[:count], self.start[count:]
            return taken
        return self.file.read(count)
