"""Files of snapshots and traces, read and written whole; errors that name the file, the place in it, and a remedy."""

from __future__ import annotations

import os
from errno import EISDIR
from typing import TypeAlias

from facula_errors import FaculaError, FileError

Path: TypeAlias = str | os.PathLike[str]


class CorruptFileError(FaculaError, ValueError):
    """A snapshot or trace whose contents are damaged, or of another format.

    Arguments:
        operation: what was reading.
        path: the file.
        place: where in it: `"byte 16"`, `"line 4"`, `"segments[0].blocks[2].size"`; `""` where that says nothing.
        problem: what was expected, and what is there.
        remedy: what to do about it.

    >>> raise CorruptFileError("read_trace", "run.trace", "line 4", "expected an array; got '['", "record it again")
    Traceback (most recent call last):
    facula_allocator._file_errors.CorruptFileError: read_trace: expected an array; got '['; at line 4 of run.trace; \
record it again
    """

    operation: str
    path: str
    place: str
    problem: str
    remedy: str

    def __init__(self, operation: str, path: Path, place: str, problem: str, remedy: str) -> None:
        path = os.fspath(path)
        super().__init__(operation, path, place, problem, remedy)
        self.operation, self.path, self.place, self.problem, self.remedy = operation, path, place, problem, remedy

    def __str__(self) -> str:
        where = f"at {self.place} of {self.path}" if self.place else f"in {self.path}"
        return f"{self.operation}: {self.problem}; {where}; {self.remedy}"


def read_whole(operation: str, path: Path) -> bytes:
    """The contents of a file.

    Raises:
        OSError: there is none, it is a folder, or it cannot be read.
    """
    text = os.fspath(path)
    if os.path.isdir(text):
        raise FileError(EISDIR, f"{operation}: expected a file; got a folder", text)
    try:
        with open(text, "rb") as file:
            return file.read()
    except OSError as error:
        problem = f"{operation}: cannot read the file: {error.strerror}; check the path"
        raise FileError(error.errno, problem, text) from None


def write_whole(operation: str, path: Path, data: bytes) -> None:
    """Replace a file by `data`: under its name there is always a whole file, the former or the new one.

    Raises:
        OSError: the folder is not there, or cannot be written.
    """
    text = os.fspath(path)
    if os.path.isdir(text):
        raise FileError(EISDIR, f"{operation}: expected a file; got a folder", text)
    special = os.path.exists(text) and not os.path.isfile(text)  # a pipe, /dev/stdout
    temporary = text if special else f"{text}.{os.getpid()}.part"
    try:
        try:
            with open(temporary, "wb") as file:
                file.write(data)
            if not special:
                os.replace(temporary, text)
        except OSError:
            if not special and os.path.exists(temporary):
                os.unlink(temporary)
            raise
    except OSError as error:
        problem = f"{operation}: cannot write the file: {error.strerror}; check the folder and the space left"
        raise FileError(error.errno, problem, text) from None
