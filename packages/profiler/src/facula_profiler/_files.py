"""Writing and reading whole files: errors name the operation, the file and a remedy."""

from __future__ import annotations

import os
from errno import EISDIR

from facula_errors import FileError, InvalidTypeError


def checked_path(operation: str, path: object) -> str:
    """Return the path as text; raise TypeError if it is none, and IsADirectoryError if it is a folder."""
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise InvalidTypeError(f"{operation}: expected a path, a str or os.PathLike; got {path!r:.60}")
    text = os.fspath(path)
    if os.path.isdir(text):
        raise FileError(EISDIR, f"{operation}: expected a file; got a folder; add the name of a file", text)
    return text


def write_file(operation: str, path: object, data: bytes) -> None:
    """Replace a file by `data` atomically: readers find the former or the new file, complete in both cases.

    Raises:
        OSError: the folder is missing, or cannot be written.
    """
    text = checked_path(operation, path)
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


def read_file(operation: str, path: object) -> bytes:
    """Return the contents of a file.

    Raises:
        OSError: the file is missing, is a folder, or cannot be read.
    """
    text = checked_path(operation, path)
    try:
        with open(text, "rb") as file:
            return file.read()
    except OSError as error:
        problem = f"{operation}: cannot read the file: {error.strerror}; check the path"
        raise FileError(error.errno, problem, text) from None
