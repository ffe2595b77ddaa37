"""Names of PyTorch's torch.distributed.algorithms, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributed.extend import Join as Join
from facula_distributed.extend import JoinHook as JoinHook
from facula_distributed.extend import Joinable as Joinable
