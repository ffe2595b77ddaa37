"""Samples for each of several processes, where programs for PyTorch look for them."""

from facula_data import DistributedSampler

from ..._names import publish

__all__ = ["DistributedSampler"]

publish(__name__)
