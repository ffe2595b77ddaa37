"""What is raised for a file that is not as it should be."""

from __future__ import annotations

from facula_errors import FaculaError


class CheckpointError(FaculaError, ValueError):
    """A file's contents were refused: `path` is the file, `reason` says why and what can be done.

    A file that is missing, a directory, or not permitted to be read raises the OSError that Python has for it.

    >>> str(CheckpointError("model.safetensors", "it is truncated"))
    'model.safetensors: it is truncated'
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)  # both in `args`, so that the error pickles whole
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"
