"""Normalisation of each example, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.normalization"):
    from facula_nn.layers.layer_norm import *
    from facula_nn.layers.response_norm import *

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]
