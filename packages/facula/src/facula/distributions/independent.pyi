"""Names of PyTorch's torch.distributions.independent, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Independent as Independent
