"""facula.optim: optimizers; the names of facula_optim. May import: siblings. Where next: `facula_optim`."""

# ruff: noqa: F403, F405  the face takes over what its siblings list as public
from .._names import publish
from .._siblings import needs

with needs("facula.optim"):
    from facula_optim import *

from . import lr_scheduler, optimizer  # type: ignore[no-redef]  # the face's module over that of the sibling

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "NAdam", "Optimizer", "RAdam", "RMSprop",
    "Rprop", "lr_scheduler", "optimizer",
]  # fmt: skip

publish(__name__, "lr_scheduler", "optimizer")
