"""Tensors that lie in several processes: not there yet."""

from .._names import publish
from .._refusals import Kind, Refusal, Refusals
from .device_mesh import DeviceMesh

__all__ = [
    "DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor",
]  # fmt: skip

_missing = Refusals("distributed.tensor", "there is one process so far; use the tensor itself")
DTensor: Kind = _missing.kind("DTensor")

Partial: Kind = _missing.kind("Partial")
Placement: Kind = _missing.kind("Placement")
Replicate: Kind = _missing.kind("Replicate")
Shard: Kind = _missing.kind("Shard")
distribute_module: Refusal = _missing.function("distribute_module")
distribute_tensor: Refusal = _missing.function("distribute_tensor")

publish(__name__)
