"""Names of PyTorch's torch.distributions.laplace, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Laplace as Laplace
