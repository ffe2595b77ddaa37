"""Learning rate schedulers with PyTorch's names, values and state.

Exports `LRScheduler`, the base class for custom schedulers, and the usual schedulers. A scheduler sets `lr` in its
optimizer's parameter groups; it does not use tensors.
May import: the rest of facula_optim.
Where next: `_base.py` for the base class, `_curves.py` for schedules that are functions of the epoch.
"""

from facula_errors.extend import published as _published

from ._base import LRScheduler
from ._curves import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LinearLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from ._cycle import OneCycleLR
from ._cyclic import CyclicLR
from ._functions import LambdaLR, MultiplicativeLR
from ._plateau import ReduceLROnPlateau
from ._restarts import CosineAnnealingWarmRestarts
from ._sequences import ChainedScheduler, SequentialLR

_LRScheduler = LRScheduler  # the name before PyTorch 2.0

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

__dir__ = _published(__name__)
