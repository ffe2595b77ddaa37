"""What distributions are written with; the names of facula_distributions.utils."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.distributions.utils"):
    from facula_distributions.utils import *

__all__ = [
    "broadcast_all", "clamp_probs", "euler_constant", "lazy_property", "logits_to_probs", "probs_to_logits",
    "tril_matrix_to_vec", "vec_to_tril_matrix",
]  # fmt: skip
