"""Errors of shared memory."""

from __future__ import annotations

from facula_errors import NoMemoryError


class SharedMemoryError(NoMemoryError):
    """A failed allocation of shared memory: the machine, the container or a limit of the process does not allow it.

    Arguments:
        message: the problem and the remedy.
        requested: the number of requested bytes.
        available: the number of available bytes; None if unknown.
    """

    def __init__(self, message: str, requested: int = 0, available: int | None = None) -> None:
        super().__init__(message)
        self.requested, self.available = requested, available

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.args[0], self.requested, self.available)
