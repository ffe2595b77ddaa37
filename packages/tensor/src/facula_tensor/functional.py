"""What networks are made of, as functions: the names and arguments of PyTorch's `torch.nn.functional`.

An operator that networks use and that `torch` itself does not have at its top level is found here and only here.
"""

from ._missing import listed as _listed
from .ops.activation import (
    elu,
    gelu,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    relu,
    relu6,
    silu,
    softmax,
)
from .ops.binary_losses import binary_cross_entropy, binary_cross_entropy_with_logits
from .ops.convolution import conv2d, conv_transpose2d
from .ops.distances import cosine_similarity, normalize, pairwise_distance, pdist
from .ops.dropout import dropout
from .ops.linear import linear
from .ops.losses import (
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from .ops.normalization import batch_norm
from .ops.padding import pad
from .ops.pixels import channel_shuffle, fold, pixel_shuffle, pixel_unshuffle, unfold
from .ops.pointwise import sigmoid, tanh
from .ops.pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from .ops.resampling import interpolate

__all__ = [
    "adaptive_avg_pool2d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "channel_shuffle",
    "conv2d",
    "conv_transpose2d",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "elu",
    "fold",
    "gelu",
    "hardtanh",
    "huber_loss",
    "interpolate",
    "kl_div",
    "l1_loss",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "normalize",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "relu",
    "relu6",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "tanh",
    "unfold",
]

__dir__ = _listed(__name__)
