"""The error for invalid files."""

from __future__ import annotations

from facula_errors import FaculaError


class CheckpointError(FaculaError, ValueError):
    """A file with invalid contents: `path` is the file, `reason` the problem, and a remedy if there is one.

    A file that is missing, a directory or not readable raises Python's OSError for that case. Errors of recomputation
    (activation checkpointing) are a different class: `facula_autograd.RecomputationError`.

    >>> str(CheckpointError("model.safetensors", "it is truncated"))
    'model.safetensors: it is truncated; load an intact copy of the file'
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)  # both in `args`, so that the error can be pickled
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        remedy = "" if "; " in self.reason else "; load an intact copy of the file"
        return f"{self.path}: {self.reason}{remedy}"
