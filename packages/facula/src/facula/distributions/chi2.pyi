"""Names of PyTorch's torch.distributions.chi2, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import Chi2 as Chi2
