"""Names of PyTorch's torch.distributions.transformed_distribution, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import TransformedDistribution as TransformedDistribution
