"""Learning rates that change as training goes on; the names of facula_optim.lr_scheduler."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.optim.lr_scheduler"):
    from facula_optim.lr_scheduler import *

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

_LRScheduler = LRScheduler  # what programs of before PyTorch 2.0 call it
