"""Padding, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.padding"):
    from facula_nn.layers.padding import *

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip
