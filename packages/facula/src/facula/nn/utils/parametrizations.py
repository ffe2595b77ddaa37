"""Parametrizations of weights; the names of facula_nn.utils.parametrizations."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.utils.parametrizations"):
    from facula_nn.utils.parametrizations import *

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]
