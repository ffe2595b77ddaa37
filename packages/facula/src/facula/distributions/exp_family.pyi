"""Names of PyTorch's torch.distributions.exp_family, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import ExponentialFamily as ExponentialFamily
