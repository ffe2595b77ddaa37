"""Names of PyTorch's torch.multiprocessing.queue, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.multiprocessing import Queue as Queue
from facula.multiprocessing import SimpleQueue as SimpleQueue
