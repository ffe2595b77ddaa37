"""facula.nn: what networks are made of; the names of facula_nn. May import: siblings. Where next: `facula_nn`.

`modules` and `parameter` are PyTorch's places for some of them, loaded when they are first used.
"""

# ruff: noqa: F403  the face takes over what its siblings list as public
from typing import TYPE_CHECKING

from facula_tensor import Parameter

from .._siblings import needs

with needs("facula.nn"):
    import facula_nn as _nn
    from facula_nn import *

from . import functional, init, utils  # type: ignore[no-redef]  # modules of the face over those of the sibling

if TYPE_CHECKING:
    from . import modules as modules
    from . import parameter as parameter

__all__ = ["Parameter", "functional", "init", "modules", "parameter", "utils"]
__all__ += [name for name in _nn.__all__ if name not in __all__]


if not TYPE_CHECKING:  # what is listed above is all that there is

    def __getattr__(name: str) -> object:
        if name in ("modules", "parameter"):
            from importlib import import_module

            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
