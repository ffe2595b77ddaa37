"""Batch norms folded into layers; the names of facula_nn.utils.fusion."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.utils.fusion"):
    from facula_nn.utils.fusion import *

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]
