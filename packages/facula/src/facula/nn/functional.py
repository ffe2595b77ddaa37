"""Networks' operators as functions; the names of facula_nn.functional."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.nn.functional"):
    from facula_nn.functional import *

__all__ = [
    "adaptive_avg_pool2d", "avg_pool2d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "channel_shuffle", "conv2d", "conv_transpose2d", "cosine_similarity", "cross_entropy", "dropout", "elu", "fold",
    "gelu", "hardtanh", "huber_loss", "interpolate", "kl_div", "l1_loss", "leaky_relu", "linear", "log_softmax",
    "logsigmoid", "max_pool2d", "mse_loss", "nll_loss", "normalize", "pad", "pairwise_distance", "pdist",
    "pixel_shuffle", "pixel_unshuffle", "relu", "relu6", "sigmoid", "silu", "smooth_l1_loss", "softmax", "softplus",
    "tanh", "unfold",
]  # fmt: skip
