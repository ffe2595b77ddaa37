"""Names of PyTorch's torch.distributions.weibull, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Weibull as Weibull
