"""Names of PyTorch's torch.distributions.kumaraswamy, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Kumaraswamy as Kumaraswamy
