"""Names of PyTorch's torch.futures, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributed.extend import Future as Future
from facula_distributed.extend import collect_all as collect_all
from facula_distributed.extend import wait_all as wait_all
