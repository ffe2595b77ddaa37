"""Functions of modules and tensors; the names of facula_nn.utils.stateless. May import: siblings.

Where next: `facula.autograd.functional` for derivatives of functions.
"""

# ruff: noqa: F403, F405
from ._names import publish
from ._siblings import needs

with needs("facula.func"):
    from facula_nn.utils.stateless import *

__all__ = ["functional_call"]

publish(__name__)
