"""Names of PyTorch's torch.xpu.random, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.xpu import manual_seed as manual_seed
from facula.xpu import manual_seed_all as manual_seed_all
