"""Names of PyTorch's torch.distributions.kl, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import kl_divergence as kl_divergence
from facula_distributions import register_kl as register_kl
