"""Names of PyTorch's torch.distributions.inverse_gamma, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import InverseGamma as InverseGamma
