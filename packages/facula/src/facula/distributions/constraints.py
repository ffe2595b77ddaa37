"""Which values parameters and samples may have; the names of facula_distributions.constraints."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.distributions.constraints"):
    from facula_distributions.constraints import *

__all__ = [
    "Constraint", "boolean", "dependent", "dependent_property", "greater_than", "greater_than_eq",
    "half_open_interval", "independent", "integer_interval", "interval", "is_dependent", "less_than", "nonnegative",
    "nonnegative_integer", "one_hot", "positive", "positive_integer", "real", "real_vector", "simplex", "unit_interval",
]  # fmt: skip
