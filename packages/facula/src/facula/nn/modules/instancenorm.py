"""Normalisation of each channel of each example, where programs for PyTorch look for it."""

from ..._siblings import needs

with needs("facula.nn.modules.instancenorm"):
    from facula_nn import (
        InstanceNorm1d,
        InstanceNorm2d,
        InstanceNorm3d,
        LazyInstanceNorm1d,
        LazyInstanceNorm2d,
        LazyInstanceNorm3d,
    )

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]
