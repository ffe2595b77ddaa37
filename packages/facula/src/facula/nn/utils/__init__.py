"""What is done to all parameters of a network together, and sequences; the names of facula_nn.utils."""

# ruff: noqa: F403, F405
from ..._names import publish
from ..._siblings import needs

with needs("facula.nn.utils"):
    from facula_nn.utils import *

from . import rnn  # type: ignore[no-redef]

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "rnn", "vector_to_parameters"]

publish(__name__, "rnn")
