"""facula.optim: optimizers; the names of facula_optim. May import: siblings. Where next: `facula_optim`."""

# ruff: noqa: F403, F405  the face takes over what its siblings list as public
from typing import TYPE_CHECKING

from .._names import publish
from .._siblings import needs

with needs("facula.optim"):
    from facula_optim import *

from . import lr_scheduler, optimizer  # type: ignore[no-redef]  # the face's module over that of the sibling

if TYPE_CHECKING:
    from . import swa_utils as swa_utils  # type: ignore[no-redef]
else:
    del swa_utils  # the sibling's: the face's needs modules, and is loaded when it is first asked for

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Muon", "NAdam",
    "Optimizer", "RAdam", "RMSprop", "Rprop", "SparseAdam", "lr_scheduler", "optimizer", "swa_utils",
]  # fmt: skip

publish(__name__, "lr_scheduler", "optimizer", later=("swa_utils",))
