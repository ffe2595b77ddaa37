"""Resizing, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.upsampling"):
    from facula_nn.layers.resampling import *

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]
