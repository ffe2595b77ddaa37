"""Normalisation of instances, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.instancenorm"):
    from facula_nn.layers.instance_norm import *

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]
