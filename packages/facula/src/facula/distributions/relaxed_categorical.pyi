"""Names of PyTorch's torch.distributions.relaxed_categorical, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from facula_distributions.relaxed_categorical import ExpRelaxedCategorical as ExpRelaxedCategorical
