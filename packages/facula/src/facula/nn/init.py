"""Initial values of parameters; the names of facula_nn.init."""

# ruff: noqa: F403
from .._siblings import needs

with needs("facula.nn.init"):
    import facula_nn.init as _init
    from facula_nn.init import *

__all__ = list(_init.__all__)
