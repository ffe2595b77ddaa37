"""facula.nn.modules: PyTorch's places for modules, a file a family; the objects are facula_nn's.

May import: siblings. Where next: `facula_nn`.
"""

# ruff: noqa: F403
from . import activation, batchnorm, container, conv, dropout, flatten, linear, loss, module, pooling
from .activation import *
from .batchnorm import *
from .container import *
from .conv import *
from .dropout import *
from .flatten import *
from .linear import *
from .loss import *
from .module import *
from .pooling import *

__all__ = [
    name
    for family in (activation, batchnorm, container, conv, dropout, flatten, linear, loss, module, pooling)
    for name in family.__all__
]
