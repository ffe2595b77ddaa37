"""Networks' operators as functions; the names of facula_nn.functional."""

# ruff: noqa: F403
from .._siblings import needs

with needs("facula.nn.functional"):
    import facula_nn.functional as _functional
    from facula_nn.functional import *

__all__ = list(_functional.__all__)
