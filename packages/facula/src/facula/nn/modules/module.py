"""The base class of modules, where programs for PyTorch look for it."""

from ..._siblings import needs

with needs("facula.nn.modules.module"):
    from facula_nn import Module

__all__ = ["Module"]
