"""Batch normalisation, where programs for PyTorch look for it."""

# ruff: noqa: F403
from ..._siblings import needs

with needs("facula.nn.modules.batchnorm"):
    from facula_nn.layers import normalization as _home
    from facula_nn.layers.normalization import *

__all__ = list(_home.__all__)
