"""Names of facula_optim for sibling packages, in addition to the public API."""

from ._adam import Adam, AdamW
from ._adam_variants import Adamax, NAdam, RAdam
from ._adaptive import Adadelta, Adagrad, RMSprop
from ._averaging import ASGD, Rprop
from ._observer import OptimizerObserver, observe_optimizers
from ._sgd import SGD
from ._state import loaded_groups

__all__ = ["ELEMENTWISE", "OptimizerObserver", "loaded_groups", "observe_optimizers"]

# Classes whose step of an element depends on no other element, so that parts of parameters can be updated separately.
ELEMENTWISE = frozenset({ASGD, SGD, Adadelta, Adagrad, Adam, AdamW, Adamax, NAdam, RAdam, RMSprop, Rprop})

# Private attributes that facula reads to pickle schedules in PyTorch's form. `state_dict` omits functions.
SIBLING_ATTRIBUTES = {
    "_anneal_strategy": "the name of an SWALR's curve; a name of PyTorch's",
    "_scale_fn_custom": "a CyclicLR's own function, or None; a name of PyTorch's",
}
