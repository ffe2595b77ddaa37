"""Names of PyTorch's torch.distributions.mixture_same_family, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import MixtureSameFamily as MixtureSameFamily
