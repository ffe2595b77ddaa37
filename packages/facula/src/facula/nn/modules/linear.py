"""Products with weights, where programs for PyTorch look for them."""

# ruff: noqa: F403
from ..._siblings import needs

with needs("facula.nn.modules.linear"):
    from facula_nn.layers import linear as _home
    from facula_nn.layers.linear import *

__all__ = list(_home.__all__)
