"""Names of PyTorch's torch.multiprocessing.pool, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.multiprocessing import Pool as Pool
