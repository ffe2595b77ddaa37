"""Names of PyTorch's torch.distributions.beta, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Beta as Beta
