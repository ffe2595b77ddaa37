"""A model over a batch that several processes share: not there yet."""

from ..._names import publish
from ..._refusals import Kind, Refusals

__all__ = ["DistributedDataParallel"]

DistributedDataParallel: Kind = Refusals(
    "nn.parallel",
    "there is one process so far; train the module itself, as where dist.is_initialized() is False",
).kind("DistributedDataParallel")

publish(__name__)
