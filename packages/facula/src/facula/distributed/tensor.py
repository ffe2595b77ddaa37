"""Tensors that lie in several processes: not there yet."""

from .._names import publish
from .._refusals import Refusals
from . import DeviceMesh

__all__ = [
    "DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor",
]  # fmt: skip

_missing = Refusals("distributed.tensor", "there is one process so far; use the tensor itself")
DTensor = _missing.kind("DTensor")

Partial = _missing.kind("Partial")
Placement = _missing.kind("Placement")
Replicate = _missing.kind("Replicate")
Shard = _missing.kind("Shard")
distribute_module = _missing.function("distribute_module")
distribute_tensor = _missing.function("distribute_tensor")

publish(__name__)
