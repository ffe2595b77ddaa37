"""facula_optim: optimizers with PyTorch's names, options and state, and learning rate schedulers.

Exports `Optimizer`, `SGD`, `Adam` and other optimizers; `lr_scheduler` is a separate module. Most steps are a single
facula_tensor operator that updates all parameters of a group in one launch. LBFGS, Muon and SparseAdam use tensor
operations.
May import: facula_tensor and its `extend`; facula_errors; no other sibling.
Where next: `_optimizer.py` (groups, state, hooks), `_sgd.py` (an example of a step), `lr_scheduler/_base.py`.
"""

from facula_errors.extend import published as _published
from facula_errors.extend import register as _register

from . import lr_scheduler, swa_utils
from ._adafactor import Adafactor
from ._adam import Adam, AdamW
from ._adam_variants import Adamax, NAdam, RAdam
from ._adaptive import Adadelta, Adagrad, RMSprop
from ._averaging import ASGD, Rprop
from ._lbfgs import LBFGS
from ._muon import Muon
from ._optimizer import Optimizer
from ._sgd import SGD
from ._sparse_adam import SparseAdam

_register("facula_optim")

__version__ = "0.1.0"

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
]

__dir__ = _published(__name__)
