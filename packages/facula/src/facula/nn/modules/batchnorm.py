"""Batch normalisation, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.batchnorm"):
    from facula_nn import LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d
    from facula_nn.extend import BatchNorm as _BatchNorm  # noqa: F401  PyTorch's name
    from facula_nn.extend import ChannelNorm as _NormBase  # noqa: F401
    from facula_nn.layers.normalization import *

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d",
    "SyncBatchNorm",
]  # fmt: skip
