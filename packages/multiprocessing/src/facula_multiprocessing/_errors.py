"""The errors of shared memory and of processes."""

from __future__ import annotations

from facula_errors import NoMemoryError


class SharedMemoryError(NoMemoryError):
    """Shared memory that cannot be had: more than the machine, the container or a limit of the process allows.

    Arguments:
        message: what is wrong, and what to do.
        requested: the bytes that were asked for.
        available: the bytes that are left; None where that is not known.
    """

    def __init__(self, message: str, requested: int = 0, available: int | None = None) -> None:
        super().__init__(message)
        self.requested, self.available = requested, available

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.args[0], self.requested, self.available)
