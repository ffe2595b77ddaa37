"""Transforms to what constraints allow; the names of facula_distributions.constraint_registry."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.distributions.constraint_registry"):
    from facula_distributions.constraint_registry import *

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]
