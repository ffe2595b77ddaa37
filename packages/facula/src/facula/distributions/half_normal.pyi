"""Names of PyTorch's torch.distributions.half_normal, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import HalfNormal as HalfNormal
