"""Names of PyTorch's torch.distributions.multinomial, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Multinomial as Multinomial
