"""What is done to all parameters of a network together; the names of facula_nn.utils."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.nn.utils"):
    from facula_nn.utils import *

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]
