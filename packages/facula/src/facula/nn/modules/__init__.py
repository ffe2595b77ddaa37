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
from .normalization import *
from .pooling import *

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "AdaptiveAvgPool2d", "AlphaDropout", "AvgPool2d", "BCELoss",
    "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Conv1d", "Conv2d", "ConvTranspose2d",
    "CrossEntropyLoss", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout", "Flatten",
    "GroupNorm", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "HuberLoss", "Identity", "KLDivLoss", "L1Loss",
    "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool2d", "Mish", "Module",
    "ModuleDict", "ModuleList", "NLLLoss", "PReLU", "ParameterDict", "ParameterList", "RMSNorm", "RReLU", "ReLU",
    "ReLU6", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softmax2d", "Softmin", "Softplus",
    "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold", "Unflatten",
]  # fmt: skip

publish(
    __name__,
    *(
        "activation",
        "batchnorm",
        "container",
        "conv",
        "dropout",
        "flatten",
        "linear",
        "loss",
        "module",
        "normalization",
    ),
    "pooling",
)
