"""Pooling, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.pooling"):
    from facula_nn.layers.pooling import *

__all__ = ["AdaptiveAvgPool2d", "AvgPool2d", "MaxPool2d"]
