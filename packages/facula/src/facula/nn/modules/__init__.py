"""facula.nn.modules: PyTorch's places for modules, a file a family; the objects are facula_nn's.

May import: siblings. Where next: `facula_nn`.
"""

# ruff: noqa: F403, F405
from ..._names import publish
from .activation import *
from .batchnorm import *
from .channelshuffle import *
from .container import *
from .conv import *
from .distance import *
from .dropout import *
from .flatten import *
from .fold import *
from .linear import *
from .loss import *
from .module import *
from .padding import *
from .pixelshuffle import *
from .pooling import *
from .upsampling import *

__all__ = [
    "ELU", "GELU", "AdaptiveAvgPool2d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d",
    "ChannelShuffle", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "Conv2d", "ConvTranspose2d", "CosineSimilarity", "CrossEntropyLoss", "Dropout", "Flatten", "Fold",
    "Hardtanh", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax",
    "MSELoss", "MaxPool2d", "Module", "ModuleDict", "ModuleList", "NLLLoss", "PairwiseDistance", "ParameterDict",
    "ParameterList", "PixelShuffle", "PixelUnshuffle", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d",
    "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "Sequential", "SiLU", "Sigmoid",
    "SmoothL1Loss", "Softmax", "Softplus", "Tanh", "Unflatten", "Unfold", "Upsample", "UpsamplingBilinear2d",
    "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip

publish(
    __name__,
    *("activation", "batchnorm", "channelshuffle", "container", "conv", "distance", "dropout"),
    *("flatten", "fold", "linear", "loss"),
    *("module", "padding", "pixelshuffle", "pooling", "upsampling"),
)
