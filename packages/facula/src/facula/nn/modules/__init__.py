"""facula.nn.modules: PyTorch's places for modules, a file a family; the objects are facula_nn's.

May import: siblings. Where next: `facula_nn`.
"""

# ruff: noqa: F403, F405
from ..._names import publish
from .activation import *
from .batchnorm import *
from .container import *
from .conv import *
from .dropout import *
from .flatten import *
from .linear import *
from .loss import *
from .module import *
from .pooling import *
from .rnn import *
from .transformer import *

__all__ = [
    "AdaptiveAvgPool2d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "Conv2d",
    "ConvTranspose2d", "CrossEntropyLoss", "Dropout", "ELU", "Flatten", "GELU", "GRU", "GRUCell", "Hardtanh",
    "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LSTM", "LSTMCell", "LeakyReLU", "Linear", "LogSigmoid",
    "LogSoftmax", "MSELoss", "MaxPool2d", "Module", "ModuleDict", "ModuleList", "MultiheadAttention",
    "NLLLoss", "ParameterDict", "ParameterList", "RNN", "RNNBase", "RNNCell", "RNNCellBase", "ReLU", "ReLU6",
    "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softplus", "Tanh", "Transformer",
    "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
    "Unflatten",
]  # fmt: skip

publish(
    __name__,
    "activation", "batchnorm", "container", "conv", "dropout", "flatten", "linear", "loss", "module",
    "pooling", "rnn", "transformer",
)
