"""facula.nn: what networks are made of; the names of facula_nn. May import: siblings. Where next: `facula_nn`."""

# ruff: noqa: F403  the face takes over what its siblings list as public
from facula_tensor import Parameter

from .._siblings import needs

with needs("facula.nn"):
    import facula_nn as _nn
    from facula_nn import *

from . import functional, init, utils  # type: ignore[no-redef]  # modules of the face over those of the sibling

__all__ = ["Parameter", "functional", "init", "utils"]
__all__ += [name for name in _nn.__all__ if name not in __all__]
