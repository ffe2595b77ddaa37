"""Modules that hold modules, where programs for PyTorch look for them."""

from ..._siblings import needs

with needs("facula.nn.modules.container"):
    from facula_nn import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]
