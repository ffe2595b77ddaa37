"""Relaxed choices; the names of facula_distributions.relaxed_categorical."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.distributions.relaxed_categorical"):
    from facula_distributions.relaxed_categorical import *

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]
