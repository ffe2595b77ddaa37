"""Names of PyTorch's torch.distributions.relaxed_bernoulli, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import RelaxedBernoulli as RelaxedBernoulli
from facula_distributions.relaxed_bernoulli import LogitRelaxedBernoulli as LogitRelaxedBernoulli
