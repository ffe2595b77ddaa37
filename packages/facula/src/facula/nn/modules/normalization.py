"""Normalisation of each example, where programs for PyTorch look for it."""

from ..._siblings import needs

with needs("facula.nn.modules.normalization"):
    from facula_nn import CrossMapLRN2d, GroupNorm, LayerNorm, LocalResponseNorm, RMSNorm

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]
