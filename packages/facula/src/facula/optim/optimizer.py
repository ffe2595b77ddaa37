"""The base class of optimizers, where programs for PyTorch look for it."""

from .._siblings import needs

with needs("facula.optim.optimizer"):
    from facula_optim import Optimizer

__all__ = ["Optimizer"]
