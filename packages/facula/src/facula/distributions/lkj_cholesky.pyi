"""Names of PyTorch's torch.distributions.lkj_cholesky, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import LKJCholesky as LKJCholesky
