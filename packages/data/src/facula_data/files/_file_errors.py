"""Errors for missing and unreadable files, which name the file and a remedy."""

from __future__ import annotations

import os
from errno import EISDIR, ENOENT
from typing import TypeAlias

from facula_errors import FileError

Path: TypeAlias = str | os.PathLike[str]


def path_of(operation: str, path: Path) -> str:
    """Return the path of an existing file as text.

    Raises:
        OSError: the file does not exist, is a folder, or is inaccessible.
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
    """Return a FileNotFoundError for `path`."""
    return FileError(ENOENT, f"{operation}: the file does not exist; {remedy}", os.fspath(path))


def unreadable(operation: str, path: str, error: OSError) -> FileError:
    """Convert `error` to a FileError that names the operation."""
    if isinstance(error, FileError):
        return error
    return FileError(error.errno, f"{operation}: cannot read the file: {error.strerror}; check the path", path)
