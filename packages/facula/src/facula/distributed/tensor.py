"""Distributed tensors, which are not supported yet. Their placements, which programs name, are values."""

from __future__ import annotations

from dataclasses import dataclass

from .._lookup.names import publish
from .._lookup.refusals import Kind, Refusal, Refusals
from .device_mesh import DeviceMesh

__all__ = [
    "DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor",
]  # fmt: skip

_missing = Refusals("distributed.tensor", "use the tensor itself")
DTensor: Kind = _missing.kind("DTensor")
distribute_module: Refusal = _missing.function("distribute_module")
distribute_tensor: Refusal = _missing.function("distribute_tensor")


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

    >>> Shard(1)
    Shard(dim=1)
    """

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process has the whole tensor."""


@dataclass(frozen=True)
class Partial(Placement):
    """Each process has a term; a reduction of the terms is the whole tensor."""

    reduce_op: str = "sum"


publish(__name__)
