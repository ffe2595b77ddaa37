"""Changes of shape, where programs for PyTorch look for them."""

# ruff: noqa: F403
from ..._siblings import needs

with needs("facula.nn.modules.flatten"):
    from facula_nn.layers import flatten as _home
    from facula_nn.layers.flatten import *

__all__ = list(_home.__all__)
