"""facula_nn: modules, layers, losses and initializers, under PyTorch's names.

Exports `Module`, containers, layers (`layers/`, one file or folder per family), `functional`, `init` and `utils`.
May import: facula_tensor, its `functional` and its `extend`; facula_errors; NumPy.
Rooms, each of which imports only earlier ones: `_modules` (the base class), `init`, `functional`, `utils`, `layers`.
Where next: `_modules/module.py` for calls, `_modules/tree.py` and Note [Where members are] in `_modules/members.py`
for the storage of parameters, `_modules/state.py` for state dicts, `_modules/hooks.py` for hooks.
"""

from facula_errors.extend import published
from facula_errors.extend import register as _register
from facula_tensor import Parameter as Parameter

from . import attention, functional, init, utils
from ._arguments import check_arguments as _check_arguments
from ._modules.containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from ._modules.members import Buffer
from ._modules.module import Module
from ._modules.uninitialized import UninitializedBuffer, UninitializedParameter
from .layers.activation.adaptive_softmax import AdaptiveLogSoftmaxWithLoss
from .layers.activation.gates import GELU, GLU, Hardswish, Mish, SiLU
from .layers.activation.rectifiers import CELU, ELU, SELU, LeakyReLU, PReLU, ReLU, RReLU, Threshold
from .layers.activation.shrinkage import Hardshrink, Softshrink, Tanhshrink
from .layers.activation.sigmoids import Hardsigmoid, Hardtanh, LogSigmoid, ReLU6, Sigmoid, Softplus, Softsign, Tanh
from .layers.activation.softmax import LogSoftmax, Softmax, Softmax2d, Softmin
from .layers.bilinear import Bilinear
from .layers.convolution.convolution import Conv1d, Conv2d, Conv3d
from .layers.convolution.fold import Fold, Unfold
from .layers.convolution.lazy_convolution import (
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
)
from .layers.convolution.transposed import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .layers.distance import CosineSimilarity, PairwiseDistance
from .layers.dropout import AlphaDropout, Dropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout
from .layers.embedding import Embedding
from .layers.embedding_bag import EmbeddingBag
from .layers.flatten import Flatten, Unflatten
from .layers.lazy import LazyLinear
from .layers.linear import Identity, Linear
from .layers.loss.ctc import CTCLoss
from .layers.loss.likelihood import GaussianNLLLoss, MultiLabelSoftMarginLoss, PoissonNLLLoss, SoftMarginLoss
from .layers.loss.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    NLLLoss2d,
    SmoothL1Loss,
)
from .layers.loss.margin import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultiLabelMarginLoss,
    MultiMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from .layers.multihead_attention import MultiheadAttention
from .layers.normalization.batch_norm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .layers.normalization.instance_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .layers.normalization.layer_norm import GroupNorm, LayerNorm, RMSNorm
from .layers.normalization.lazy_normalization import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
)
from .layers.normalization.response_norm import CrossMapLRN2d, LocalResponseNorm
from .layers.normalization.sync_batch_norm import SyncBatchNorm
from .layers.padding import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from .layers.pooling.adaptive import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
)
from .layers.pooling.fractional import FractionalMaxPool2d, FractionalMaxPool3d
from .layers.pooling.pooling import AvgPool1d, AvgPool2d, AvgPool3d, MaxPool1d, MaxPool2d, MaxPool3d
from .layers.pooling.power_average import LPPool1d, LPPool2d, LPPool3d
from .layers.pooling.unpooling import MaxUnpool1d, MaxUnpool2d, MaxUnpool3d
from .layers.recurrent import GRU, LSTM, RNN, RNNBase
from .layers.recurrent_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from .layers.resampling import Upsample, UpsamplingBilinear2d, UpsamplingNearest2d
from .layers.shuffle import ChannelShuffle, PixelShuffle, PixelUnshuffle
from .layers.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)

_register("facula_nn")  # errors point to the user's line, not into this package

__version__ = "0.1.0"

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "GRU", "LSTM", "RNN", "SELU", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d", "AdaptiveLogSoftmaxWithLoss", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d",
    "AlphaDropout", "AvgPool1d", "AvgPool2d", "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d",
    "BatchNorm2d", "BatchNorm3d", "Bilinear", "Buffer", "CTCLoss", "ChannelShuffle", "CircularPad1d", "CircularPad2d",
    "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Conv1d", "Conv2d", "Conv3d",
    "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "CosineEmbeddingLoss", "CosineSimilarity",
    "CrossEntropyLoss", "CrossMapLRN2d", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "Embedding", "EmbeddingBag",
    "FeatureAlphaDropout", "Flatten", "Fold", "FractionalMaxPool2d", "FractionalMaxPool3d", "GRUCell",
    "GaussianNLLLoss", "GroupNorm", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "HingeEmbeddingLoss",
    "HuberLoss", "Identity", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "KLDivLoss", "L1Loss", "LPPool1d",
    "LPPool2d", "LPPool3d", "LSTMCell", "LayerNorm", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d",
    "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
    "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear", "LeakyReLU", "Linear",
    "LocalResponseNorm", "LogSigmoid", "LogSoftmax", "MSELoss", "MarginRankingLoss", "MaxPool1d", "MaxPool2d",
    "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "Mish", "Module", "ModuleDict", "ModuleList",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultiheadAttention", "NLLLoss",
    "NLLLoss2d", "PReLU", "PairwiseDistance", "ParameterDict", "ParameterList", "PixelShuffle", "PixelUnshuffle",
    "PoissonNLLLoss", "RMSNorm", "RNNBase", "RNNCell", "RNNCellBase", "RReLU", "ReLU", "ReLU6", "ReflectionPad1d",
    "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "Sequential",
    "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink",
    "Softsign", "SyncBatchNorm", "Tanh", "Tanhshrink", "Threshold", "Transformer", "TransformerDecoder",
    "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss", "Unflatten", "Unfold", "UninitializedBuffer", "UninitializedParameter",
    "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "attention",
    "functional", "init", "utils",
]  # fmt: skip

for _name in set(__all__) - {"Identity"}:  # Identity accepts any arguments
    if getattr(globals()[_name], "__module__", "").startswith("facula_nn.layers."):
        _check_arguments(globals()[_name])

__dir__ = published(__name__, "Parameter")
