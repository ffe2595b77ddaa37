"""Names of PyTorch's torch.distributions.log_normal, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import LogNormal as LogNormal
