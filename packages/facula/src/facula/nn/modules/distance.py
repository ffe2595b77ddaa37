"""Comparing vectors, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.distance"):
    from facula_nn.layers.distance import *

__all__ = ["CosineSimilarity", "PairwiseDistance"]
