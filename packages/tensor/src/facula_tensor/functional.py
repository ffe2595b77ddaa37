"""Neural network functions with the names and arguments of `torch.nn.functional`.

Operators that `torch` does not have at its top level are available only here.
"""

from facula_errors.extend import published as _published

from ._dispatch.torch_function import make_overridable as _make_overridable
from ._forms.ops.neural.activation.irregular import rrelu_
from ._forms.ops.neural.activation.piecewise import celu_, elu_, hardtanh_, leaky_relu_, selu_, threshold_
from .ops.elementwise.pointwise import sigmoid, tanh
from .ops.neural.activation.irregular import glu, log_softmax, prelu, relu, relu_, rrelu, softmax, softmin
from .ops.neural.activation.piecewise import (
    celu,
    elu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    relu6,
    selu,
    softshrink,
    threshold,
)
from .ops.neural.activation.smooth import gelu, logsigmoid, mish, silu, softplus, softsign, tanhshrink
from .ops.neural.attention import scaled_dot_product_attention
from .ops.neural.batch_norm import batch_norm
from .ops.neural.bilinear import bilinear
from .ops.neural.convolution import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .ops.neural.distances import cosine_similarity, pairwise_distance, pdist
from .ops.neural.embedding import embedding, one_hot
from .ops.neural.embedding_bag import embedding_bag
from .ops.neural.instance_norm import instance_norm, local_response_norm
from .ops.neural.layer_norm import group_norm, layer_norm, rms_norm
from .ops.neural.linear import linear
from .ops.neural.losses.binary import binary_cross_entropy, binary_cross_entropy_with_logits
from .ops.neural.losses.class_margin import multi_margin_loss, multilabel_margin_loss
from .ops.neural.losses.cross_entropy import cross_entropy, nll_loss
from .ops.neural.losses.ctc import ctc_loss
from .ops.neural.losses.likelihood import (
    gaussian_nll_loss,
    multilabel_soft_margin_loss,
    poisson_nll_loss,
    soft_margin_loss,
)
from .ops.neural.losses.margin import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
from .ops.neural.losses.regression import huber_loss, kl_div, l1_loss, mse_loss, smooth_l1_loss
from .ops.neural.pooling.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
)
from .ops.neural.pooling.unpooling import lp_pool1d, lp_pool2d, lp_pool3d, max_unpool1d, max_unpool2d, max_unpool3d
from .ops.neural.unit_vectors import normalize
from .ops.neural.vision.grid_sample import affine_grid, grid_sample
from .ops.neural.vision.interpolate import interpolate
from .ops.neural.vision.padding import pad
from .ops.neural.vision.pixel_shuffle import channel_shuffle, fold, pixel_shuffle, pixel_unshuffle, unfold
from .ops.random.dropout import dropout
from .ops.random.feature_dropout import alpha_dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from .ops.random.gumbel_softmax import gumbel_softmax

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "celu_",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "elu_",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "leaky_relu_",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rms_norm",
    "rrelu",
    "rrelu_",
    "scaled_dot_product_attention",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
]

_make_overridable(globals(), __all__)

__dir__ = _published(__name__)
