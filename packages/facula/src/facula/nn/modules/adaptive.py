"""Softmax over very many classes, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.adaptive"):
    from facula_nn.layers.adaptive_softmax import *

__all__ = ["AdaptiveLogSoftmaxWithLoss"]
