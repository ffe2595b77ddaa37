"""Files that are not what they should be: errors that name the file, the place in it, and what to do."""

from __future__ import annotations

import os
from errno import EISDIR, ENOENT
from typing import TypeAlias

from facula_errors import FaculaError, FileError

Path: TypeAlias = str | os.PathLike[str]


class CorruptFileError(FaculaError, ValueError):
    """A file whose contents are damaged, or of another format than the reader's.

    Arguments:
        operation: what was reading.
        path: the file, or the name of the sample within an archive.
        place: where in it: `"byte 16"`, `"row 3 (line 4)"`; `""` where that says nothing.
        problem: what was expected, and what is there.
        remedy: what to do about it.

    >>> raise CorruptFileError("read_idx", "train.idx", "byte 0", "expected two zero bytes; got b'PK'", "unpack it")
    Traceback (most recent call last):
    facula_data._file_errors.CorruptFileError: read_idx: expected two zero bytes; got b'PK'; at byte 0 of train.idx; \
unpack it
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


def path_of(operation: str, path: Path) -> str:
    """The path of a file that is there, as text.

    Raises:
        OSError: there is none, it is a folder, or it cannot be asked.
    """
    text = os.fspath(path)
    try:
        is_folder = os.path.isdir(text)
        os.stat(text)
    except OSError as error:
        raise unreadable(operation, text, error) from None
    if is_folder:
        raise FileError(EISDIR, f"{operation}: expected a file; got a folder", text)
    return text


def missing(operation: str, path: Path, remedy: str) -> FileError:
    """The FileNotFoundError for `path`."""
    return FileError(ENOENT, f"{operation}: there is no such file; {remedy}", os.fspath(path))


def unreadable(operation: str, path: str, error: OSError) -> FileError:
    """`error` as one of the library's, which says what was reading."""
    if isinstance(error, FileError):
        return error
    return FileError(error.errno, f"{operation}: cannot read the file: {error.strerror}; check the path", path)
