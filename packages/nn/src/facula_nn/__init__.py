"""facula_nn: modules, layers, losses and initial values, under PyTorch's names.

What it is: `Module` and containers (here), layers (`layers/`, a file a family), `functional`, `init`, `utils`.
May import: facula_tensor, its `functional` and its `extend`; NumPy.
Where next: `_module.py` for what a call does, `_tree.py` and Note [Where members are] in `_members.py` for where
parameters are kept, `_state.py` for state dicts, `_hooks.py` for hooks.
"""

# ruff: noqa: F403  each family lists its public names in its own __all__
from facula_tensor import Parameter as Parameter
from facula_tensor.extend import library

from . import _containers, functional, init, utils
from ._arguments import check_arguments as _check_arguments
from ._containers import *
from ._members import Buffer
from ._module import Module
from .layers import activation as _activation
from .layers import convolution as _convolution
from .layers import dropout as _dropout
from .layers import flatten as _flatten
from .layers import linear as _linear
from .layers import loss as _loss
from .layers import normalization as _normalization
from .layers import pooling as _pooling
from .layers.activation import *
from .layers.convolution import *
from .layers.dropout import *
from .layers.flatten import *
from .layers.linear import *
from .layers.loss import *
from .layers.normalization import *
from .layers.pooling import *

library.add("facula_nn")  # errors name the user's line, not one of these
for _family in (_activation, _convolution, _dropout, _flatten, _linear, _loss, _normalization, _pooling):
    for _name in _family.__all__:
        if _name != "Identity":  # which takes anything
            _check_arguments(getattr(_family, _name))

__version__ = "0.1.0"

__all__ = ["Buffer", "Module", "functional", "init", "utils"]
__all__ += _containers.__all__
__all__ += _activation.__all__
__all__ += _convolution.__all__
__all__ += _dropout.__all__
__all__ += _flatten.__all__
__all__ += _linear.__all__
__all__ += _loss.__all__
__all__ += _normalization.__all__
__all__ += _pooling.__all__
