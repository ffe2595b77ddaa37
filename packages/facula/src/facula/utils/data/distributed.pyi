"""Names of PyTorch's torch.utils.data.distributed, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_data import DistributedSampler as DistributedSampler
