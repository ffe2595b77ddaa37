"""Names of PyTorch's torch.distributions.logistic_normal, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import LogisticNormal as LogisticNormal
