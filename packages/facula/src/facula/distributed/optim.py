"""Optimizers over several processes: not there yet."""

from .._names import publish
from .._refusals import Refusals

__all__ = ["DistributedOptimizer", "ZeroRedundancyOptimizer"]

_missing = Refusals("distributed.optim", "there is one process so far; use the optimizer itself")
DistributedOptimizer = _missing.kind("DistributedOptimizer")
ZeroRedundancyOptimizer = _missing.kind("ZeroRedundancyOptimizer")

publish(__name__)
