"""Optimizers over several processes: not there yet."""

from .._names import publish
from .._refusals import Kind, Refusals

__all__ = ["DistributedOptimizer", "ZeroRedundancyOptimizer"]

_missing = Refusals("distributed.optim", "there is one process so far; use the optimizer itself")
DistributedOptimizer: Kind = _missing.kind("DistributedOptimizer")
ZeroRedundancyOptimizer: Kind = _missing.kind("ZeroRedundancyOptimizer")

publish(__name__)
