"""Where checkpoints are: directories."""

from __future__ import annotations

import os
from typing import Any

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError


class _Directory:
    def __init__(self, path: str | os.PathLike[str], **options: Any) -> None:
        self.path = directory_of(type(self).__name__, path)


class FileSystemWriter(_Directory):
    """The directory that a checkpoint is saved to.

    Arguments:
        path: the directory, which is created if it is missing.
        options: ignored: each rank writes one file, flushed to disk.

    >>> FileSystemWriter("run/checkpoint").path
    'run/checkpoint'
    """


class FileSystemReader(_Directory):
    """The directory that a checkpoint is loaded from.

    Arguments:
        path: the directory.
        options: ignored.
    """


def directory_of(operation: str, path: object) -> str:
    """Return a path as a str; raise TypeError for other objects."""
    if isinstance(path, (str, os.PathLike)) and isinstance(text := os.fspath(path), str) and text:
        return text
    raise InvalidTypeError(f"{operation}: expected the path of a directory; got {path!r:.100}")


def chosen(operation: str, checkpoint_id: object, storage: object, kind: type[_Directory], planner: object) -> str:
    """Return the directory that the arguments of `save` or `load` describe.

    Arguments:
        operation: the beginning of errors.
        checkpoint_id: the path, or None.
        storage: a reader or writer, or None.
        kind: its class.
        planner: None.
    """
    if planner is not None:
        raise UnsupportedError(f"{operation}: expected planner=None, as planners are not supported; leave it out")
    if storage is not None and not isinstance(storage, kind):
        raise InvalidTypeError(f"{operation}: expected a {kind.__name__}; got {type(storage).__name__}")
    if checkpoint_id is not None:
        return directory_of(operation, checkpoint_id)
    if storage is None:
        raise InvalidValueError(f"{operation}: expected checkpoint_id, the path of a directory; it is missing")
    return storage.path
