"""Names of PyTorch's torch.distributions.normal, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Normal as Normal
