"""facula.optim: optimizers; the names of facula_optim. May import: siblings. Where next: `facula_optim`."""

# ruff: noqa: F403  the face takes over what its siblings list as public
from .._siblings import needs

with needs("facula.optim"):
    import facula_optim as _optim
    from facula_optim import *

from . import lr_scheduler, optimizer  # type: ignore[no-redef]  # the face's module over that of the sibling

__all__ = ["lr_scheduler", "optimizer"]
__all__ += [name for name in _optim.__all__ if name not in __all__]
