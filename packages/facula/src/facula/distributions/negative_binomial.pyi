"""Names of PyTorch's torch.distributions.negative_binomial, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import NegativeBinomial as NegativeBinomial
