"""Activations and attention, where programs for PyTorch look for them."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.modules.activation"):
    from facula_nn.layers.activation import *
    from facula_nn.layers.attention import *
    from facula_nn.layers.further_activation import *

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
    "LogSigmoid", "LogSoftmax", "Mish", "MultiheadAttention", "PReLU", "RReLU", "ReLU", "ReLU6", "SiLU", "Sigmoid",
    "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
]  # fmt: skip
