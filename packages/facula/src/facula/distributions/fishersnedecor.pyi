"""Names of PyTorch's torch.distributions.fishersnedecor, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import FisherSnedecor as FisherSnedecor
