"""Errors of process groups."""

from __future__ import annotations

from facula_errors import FaculaError


class DistError(FaculaError, RuntimeError):
    """Base class of errors of process groups."""


class DistBackendError(DistError):
    """An error of the communication backend."""


class DistNetworkError(DistError):
    """A failure to connect."""


class DistStoreError(DistError):
    """A timeout while waiting for a store's key."""


class QueueEmptyError(DistStoreError):
    """An empty queue of a store."""


class MismatchError(DistBackendError):
    """Ranks that called different operations, or with different shapes, dtypes or options. No tensor was changed."""


class RankError(DistBackendError):
    """Another rank failed, ended, or left the group. `rank` is its rank.

    Arguments:
        message: the problem.
        rank: the other rank.
    """

    def __init__(self, message: str, rank: int = -1) -> None:
        super().__init__(message)
        self.rank = rank

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.args[0], self.rank)


class DistTimeoutError(DistBackendError):
    """A rank that did not take part in an operation within the group's timeout."""
