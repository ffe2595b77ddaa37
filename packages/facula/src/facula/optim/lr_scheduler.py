"""Learning rates that change as training goes on; the names of facula_optim.lr_scheduler."""

# ruff: noqa: F403
from .._siblings import needs

with needs("facula.optim.lr_scheduler"):
    import facula_optim.lr_scheduler as _lr_scheduler
    from facula_optim.lr_scheduler import *

__all__ = list(_lr_scheduler.__all__)
