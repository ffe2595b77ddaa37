"""Names of PyTorch's torch.distributions.pareto, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Pareto as Pareto
