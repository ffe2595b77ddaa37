"""Names of PyTorch's torch.distributions.uniform, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Uniform as Uniform
