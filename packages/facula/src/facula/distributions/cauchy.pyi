"""Names of PyTorch's torch.distributions.cauchy, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Cauchy as Cauchy
