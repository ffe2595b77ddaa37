"""What is done to all parameters of a network together; the names of facula_nn.utils."""

# ruff: noqa: F403
from .._siblings import needs

with needs("facula.nn.utils"):
    import facula_nn.utils as _utils
    from facula_nn.utils import *

__all__ = list(_utils.__all__)
