"""Names of PyTorch's torch.distributions.generalized_pareto, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import GeneralizedPareto as GeneralizedPareto
