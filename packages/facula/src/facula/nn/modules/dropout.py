"""Dropout, where programs for PyTorch look for it."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.dropout"):
    from facula_nn import Dropout as _DropoutNd  # noqa: F401  PyTorch's name
    from facula_nn.layers.dropout import *

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]
