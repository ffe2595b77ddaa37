"""Names of PyTorch's torch.distributions.gumbel, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Gumbel as Gumbel
