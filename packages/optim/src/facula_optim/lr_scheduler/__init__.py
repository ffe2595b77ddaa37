"""Schedules: learning rates that change from step to step, with PyTorch's names, numbers and state.

What it is: `LRScheduler`, to derive your own from, and the usual schedules. A schedule sets `lr` in its optimizer's
parameter groups; it knows nothing of tensors.
May import: the rest of facula_optim.
Where next: `_base.py` for what a schedule is, `_curves.py` for those that are a curve over time.
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

_LRScheduler = LRScheduler  # what programs of before PyTorch 2.0 call it

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
