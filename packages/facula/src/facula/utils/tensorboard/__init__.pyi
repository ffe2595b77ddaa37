"""Names of PyTorch's torch.utils.tensorboard, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import summary as summary
from . import writer as writer
from facula.utils.tensorboard.writer import SummaryWriter as SummaryWriter
