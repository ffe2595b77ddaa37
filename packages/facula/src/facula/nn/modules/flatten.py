"""Changes of shape, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.flatten"):
    from facula_nn.layers.flatten import *

__all__ = ["Flatten", "Unflatten"]
