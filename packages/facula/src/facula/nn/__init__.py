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

from . import attention, functional, init, utils  # type: ignore[no-redef]  # modules of the face over those of the sibling

if TYPE_CHECKING:
    from . import modules as modules
    from . import parallel as parallel
    from . import parameter as parameter
    from .parallel import DataParallel as DataParallel

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "GRU", "LSTM", "RNN", "SELU", "AdaptiveAvgPool2d", "AlphaDropout", "AvgPool2d",
    "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Buffer", "ChannelShuffle",
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Conv1d",
    "Conv2d", "ConvTranspose2d", "CosineSimilarity", "CrossEntropyLoss", "DataParallel", "Dropout", "Dropout1d",
    "Dropout2d", "Dropout3d", "Embedding", "FeatureAlphaDropout", "Flatten", "Fold", "GRUCell", "GroupNorm",
    "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LSTMCell",
    "LayerNorm", "LeakyReLU", "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool2d", "Mish", "Module",
    "ModuleDict", "ModuleList", "MultiheadAttention", "NLLLoss", "PReLU", "PairwiseDistance", "Parameter",
    "ParameterDict", "ParameterList", "PixelShuffle", "PixelUnshuffle", "RMSNorm", "RNNBase", "RNNCell", "RNNCellBase",
    "RReLU", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softmax2d",
    "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold", "Transformer",
    "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer", "Unflatten",
    "Unfold", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
    "attention", "functional", "init", "modules", "parallel", "parameter", "utils",
]  # fmt: skip

publish(
    __name__, "attention", "functional", "init", "utils",
    later=("modules", "parallel", "parameter"), lazily={"parallel": "DataParallel"},
)  # fmt: skip
