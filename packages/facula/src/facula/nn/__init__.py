"""facula.nn: what networks are made of; the names of facula_nn. May import: siblings. Where next: `facula_nn`.

`modules` and `parameter` are PyTorch's places for some of them, loaded when they are first used.
"""

# ruff: noqa: F403, F405  the face takes over what its siblings list as public
from typing import TYPE_CHECKING

from facula_tensor import Parameter

from .._names import publish
from .._siblings import needs

with needs("facula.nn"):
    from facula_nn import *

from . import functional, init, utils  # type: ignore[no-redef]  # modules of the face over those of the sibling

if TYPE_CHECKING:
    from . import modules as modules
    from . import parameter as parameter

__all__ = [
    "ELU", "GELU", "AdaptiveAvgPool2d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d",
    "Buffer", "ChannelShuffle", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "Conv2d", "ConvTranspose2d", "CosineSimilarity", "CrossEntropyLoss", "Dropout", "Flatten", "Fold",
    "Hardtanh", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax",
    "MSELoss", "MaxPool2d", "Module", "ModuleDict", "ModuleList", "NLLLoss", "PairwiseDistance", "Parameter",
    "ParameterDict", "ParameterList", "PixelShuffle", "PixelUnshuffle", "ReLU", "ReLU6", "ReflectionPad1d",
    "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "Sequential",
    "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softplus", "Tanh", "Unflatten", "Unfold", "Upsample",
    "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "functional", "init",
    "modules", "parameter", "utils",
]  # fmt: skip

publish(__name__, "functional", "init", "utils", later=("modules", "parameter"))
