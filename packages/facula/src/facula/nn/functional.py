"""Networks' operators as functions; the names of facula_nn.functional."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.nn.functional"):
    from facula_nn.functional import *

__all__ = [
    "adaptive_avg_pool2d", "avg_pool2d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "conv2d", "conv_transpose2d", "cross_entropy", "dropout", "elu", "gelu", "hardtanh", "huber_loss", "interpolate",
    "kl_div", "l1_loss", "leaky_relu", "linear", "log_softmax", "logsigmoid", "max_pool2d", "mse_loss", "nll_loss",
    "pad", "relu", "relu6", "sigmoid", "silu", "smooth_l1_loss", "softmax", "softplus", "tanh",
]  # fmt: skip
