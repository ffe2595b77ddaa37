"""What networks are made of, as functions: the names and arguments of PyTorch's `torch.nn.functional`.

An operator that networks use and that `torch` itself does not have at its top level is found here and only here.
"""

from .ops.convolution import conv2d, conv_transpose2d
from .ops.pointwise import relu, sigmoid, tanh
from .ops.softmax import log_softmax, softmax

__all__ = [
    "conv2d",
    "conv_transpose2d",
    "log_softmax",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
]
