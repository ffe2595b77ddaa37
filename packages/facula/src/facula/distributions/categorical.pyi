"""Names of PyTorch's torch.distributions.categorical, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Categorical as Categorical
