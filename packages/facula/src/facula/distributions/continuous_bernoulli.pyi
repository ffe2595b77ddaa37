"""Names of PyTorch's torch.distributions.continuous_bernoulli, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import ContinuousBernoulli as ContinuousBernoulli
