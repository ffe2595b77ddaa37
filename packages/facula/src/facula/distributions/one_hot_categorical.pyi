"""Names of PyTorch's torch.distributions.one_hot_categorical, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import OneHotCategorical as OneHotCategorical
from facula_distributions import OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough
