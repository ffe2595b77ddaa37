"""Names of PyTorch's torch.distributions.dirichlet, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Dirichlet as Dirichlet
