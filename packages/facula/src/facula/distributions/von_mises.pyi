"""Names of PyTorch's torch.distributions.von_mises, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import VonMises as VonMises
