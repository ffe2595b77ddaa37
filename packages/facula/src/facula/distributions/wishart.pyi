"""Names of PyTorch's torch.distributions.wishart, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Wishart as Wishart
