"""Activations, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.activation"):
    from facula_nn.layers.activation import *

__all__ = [
    "ELU", "GELU", "Hardtanh", "LeakyReLU", "LogSigmoid", "LogSoftmax", "ReLU", "ReLU6", "SiLU", "Sigmoid", "Softmax",
    "Softplus", "Tanh",
]  # fmt: skip
