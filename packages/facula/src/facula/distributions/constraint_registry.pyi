"""Names of PyTorch's torch.distributions.constraint_registry, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula_distributions import biject_to as biject_to
from facula_distributions import transform_to as transform_to
from facula_distributions.constraint_registry import ConstraintRegistry as ConstraintRegistry
