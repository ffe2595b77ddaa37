"""Names of PyTorch's torch.distributions.studentT, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import StudentT as StudentT
