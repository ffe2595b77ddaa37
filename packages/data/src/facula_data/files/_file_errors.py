"""Files that are not what they should be: errors that name the file, the place in it, and what to do."""

from __future__ import annotations

import os
from errno import EISDIR, ENOENT
from typing import TypeAlias

from facula_errors import FileError

Path: TypeAlias = str | os.PathLike[str]


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
