"""Relaxed trials; the names of facula_distributions.relaxed_bernoulli."""

# ruff: noqa: F403, F405
from .._siblings import needs

with needs("facula.distributions.relaxed_bernoulli"):
    from facula_distributions.relaxed_bernoulli import *

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]
