"""Names of PyTorch's torch.distributions.geometric, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Geometric as Geometric
