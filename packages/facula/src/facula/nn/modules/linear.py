"""Products with weights, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.linear"):
    from facula_nn.extend import NonDynamicallyQuantizableLinear as NonDynamicallyQuantizableLinear
    from facula_nn.layers.bilinear import *
    from facula_nn.layers.lazy import *
    from facula_nn.layers.linear import *

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]
