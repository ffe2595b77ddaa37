"""Modules called with other tensors; the names of facula_nn.utils.stateless."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.utils.stateless"):
    from facula_nn.utils.stateless import *

__all__ = ["functional_call", "stack_module_state"]
