"""Names of PyTorch's torch.optim.lr_scheduler, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_optim.lr_scheduler import ChainedScheduler as ChainedScheduler
from facula_optim.lr_scheduler import ConstantLR as ConstantLR
from facula_optim.lr_scheduler import CosineAnnealingLR as CosineAnnealingLR
from facula_optim.lr_scheduler import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from facula_optim.lr_scheduler import CyclicLR as CyclicLR
from facula_optim.lr_scheduler import ExponentialLR as ExponentialLR
from facula_optim.lr_scheduler import LRScheduler as LRScheduler
from facula_optim.lr_scheduler import LRScheduler as _own_LRScheduler
from facula_optim.lr_scheduler import LambdaLR as LambdaLR
from facula_optim.lr_scheduler import LinearLR as LinearLR
from facula_optim.lr_scheduler import MultiStepLR as MultiStepLR
from facula_optim.lr_scheduler import MultiplicativeLR as MultiplicativeLR
from facula_optim.lr_scheduler import OneCycleLR as OneCycleLR
from facula_optim.lr_scheduler import PolynomialLR as PolynomialLR
from facula_optim.lr_scheduler import ReduceLROnPlateau as ReduceLROnPlateau
from facula_optim.lr_scheduler import SequentialLR as SequentialLR
from facula_optim.lr_scheduler import StepLR as StepLR

_LRScheduler = _own_LRScheduler
