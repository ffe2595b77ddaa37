"""Names of PyTorch's torch.distributions.half_cauchy, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import HalfCauchy as HalfCauchy
