"""What is raised for a graph that a file cannot hold, and for a file that is not as it should be."""

from __future__ import annotations

from typing import NoReturn

from facula_checkpoint import CheckpointError
from facula_errors import FaculaError


class GraphFileError(CheckpointError):
    """The file of a graph was refused, whole: `path` is the file, `reason` says why.

    >>> str(GraphFileError("model.facula", "it is truncated"))
    'model.facula: it is truncated'
    """


class SaveError(FaculaError, ValueError):
    """A graph cannot be put into a file; the message says what of it, and by which line."""


class Refusal(FaculaError):
    """Why the contents of a file cannot be used; becomes a GraphFileError, which knows the file."""


def refuse(reason: str) -> NoReturn:
    """Say that contents cannot be used."""
    raise Refusal(reason)
