"""Placements: what each process has of a tensor along one dimension of a mesh."""

from __future__ import annotations

from dataclasses import dataclass

from facula_errors import InvalidValueError

REDUCTIONS = ("sum", "avg", "min", "max", "product")


class Placement:
    """The part of a tensor on each process, along one dimension of a mesh of processes."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Return whether each process has a part, along `dim` if that is given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Return whether each process has the whole tensor."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Return whether each process has a term of the tensor."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each process has a part, along one dimension of the tensor.

    The parts are those of `chunk`: all have the length of the first, except the last ones, which are shorter or empty.

    >>> Shard(1)
    Shard(dim=1)
    """

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has the whole tensor."""


@dataclass(frozen=True)
class Partial(Placement):
    """Each process has a term; a reduction of the terms is the whole tensor.

    Arguments:
        reduce_op: "sum", "avg", "min", "max" or "product".
    """

    reduce_op: str = "sum"

    def __post_init__(self) -> None:
        if self.reduce_op not in REDUCTIONS:
            raise InvalidValueError(f"Partial: expected reduce_op in {REDUCTIONS}; got {self.reduce_op!r}")
