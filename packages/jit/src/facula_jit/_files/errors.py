"""Errors of graphs that cannot be saved, and of invalid files."""

from __future__ import annotations

from typing import NoReturn

from facula_checkpoint import CheckpointError
from facula_errors import FaculaError


class GraphFileError(CheckpointError):
    """The file of a graph is invalid: `path` is the file, `reason` the problem.

    >>> str(GraphFileError("model.facula", "it is truncated"))
    'model.facula: it is truncated; load an intact copy of the file'
    """


class SaveError(FaculaError, ValueError):
    """A graph cannot be saved to a file; the message names the part and the line."""


class Refusal(FaculaError):
    """The contents of a file are invalid; converted to a GraphFileError, which names the file."""


class DeviceRefusal(Refusal):
    """A valid graph cannot run on the device that was selected."""


def refuse(reason: str) -> NoReturn:
    """Raise Refusal for invalid contents."""
    raise Refusal(reason)
