"""Reading and writing whole files of snapshots and traces; errors name the file, the place in it, and a remedy."""

from __future__ import annotations

import os
from errno import EISDIR
from typing import TypeAlias

from facula_errors import FileError, InvalidTypeError

Path: TypeAlias = str | os.PathLike[str]


def checked_path(operation: str, path: Path) -> Path:
    """Check that `path` is a path, and return it."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidTypeError(f"{operation}: expected a path, a str or os.PathLike; got {path!r:.60}")
    return path


def read_whole(operation: str, path: Path) -> bytes:
    """Read the contents of a file.

    Raises:
        OSError: the file is missing, is a folder, or cannot be read.
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
    """Replace a file by `data` atomically: readers always find a complete file, the former or the new one.

    Raises:
        OSError: the folder is missing, or cannot be written.
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
