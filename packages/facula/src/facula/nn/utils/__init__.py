"""What is done to all parameters of a network together, and sequences; the names of facula_nn.utils."""

# ruff: noqa: F403, F405
from ..._names import publish
from ..._siblings import needs

with needs("facula.nn.utils"):
    from facula_nn.utils import *

from . import fusion, parametrizations, parametrize, prune, rnn, stateless  # type: ignore[no-redef]

__all__ = [
    "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "fuse_conv_bn_eval", "fuse_conv_bn_weights",
    "fuse_linear_bn_eval", "fuse_linear_bn_weights", "fusion", "get_total_norm", "parameters_to_vector",
    "parametrizations", "parametrize", "prune", "remove_spectral_norm", "remove_weight_norm", "rnn", "skip_init",
    "spectral_norm", "stateless", "vector_to_parameters", "weight_norm",
]  # fmt: skip

publish(__name__)
